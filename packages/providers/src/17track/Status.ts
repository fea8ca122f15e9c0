import type { MilestoneStage, ShipmentStatus } from "@till402/core"

/*
 * Statuses and stages. The provider adds to both without notice. An unknown sub-status is returned unchanged,
 * an unknown status is derived from other fields, and an unknown stage is not a milestone.
 */

const statuses: ReadonlySet<string> = new Set<ShipmentStatus>([
  "NotFound",
  "InfoReceived",
  "InTransit",
  "Expired",
  "AvailableForPickup",
  "OutForDelivery",
  "DeliveryFailure",
  "Delivered",
  "Exception"
])

/** The stages of a milestone in shipping order. */
export const stages = [
  "InfoReceived",
  "PickedUp",
  "Departure",
  "Arrival",
  "AvailableForPickup",
  "OutForDelivery",
  "Delivered",
  "Returning",
  "Returned"
] as const satisfies ReadonlyArray<MilestoneStage>

const statusOfStage: Readonly<Record<MilestoneStage, ShipmentStatus>> = {
  InfoReceived: "InfoReceived",
  PickedUp: "InTransit",
  Departure: "InTransit",
  Arrival: "InTransit",
  AvailableForPickup: "AvailableForPickup",
  OutForDelivery: "OutForDelivery",
  Delivered: "Delivered",
  Returning: "Exception",
  Returned: "Exception"
}

const isStatus = (text: string): text is ShipmentStatus => statuses.has(text)

export const isStage = (text: string | null): text is MilestoneStage => stages.some((stage) => stage === text)

/** Fields that determine the status, most reliable first. */
export interface StatusHints {
  readonly status: string | null
  /** A status, an underscore, a detail: `InTransit_Departure`. */
  readonly subStatus: string | null
  /** Stage of the newest event. */
  readonly stage: string | null
  readonly hasEvents: boolean
}

export const statusOf = ({ hasEvents, stage, status, subStatus }: StatusHints): ShipmentStatus => {
  if (status !== null && isStatus(status)) return status
  const prefix = (subStatus ?? "").split("_", 1)[0]!
  if (isStatus(prefix)) return prefix
  if (isStage(stage)) return statusOfStage[stage]
  return hasEvents ? "InTransit" : "NotFound"
}
