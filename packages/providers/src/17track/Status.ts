import type { MilestoneStage, ShipmentStatus } from "@till402/core"

/*
 * Statuses and stages. The provider adds to both without notice: a new sub-status passes as it is, a new
 * status is told from what else is known, a new stage is no milestone.
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

/** What the provider says, in the order in which it is believed. */
export interface StatusHints {
  readonly status: string | null
  /** A status, an underscore, a detail: `InTransit_Departure`. */
  readonly subStatus: string | null
  /** Of the newest event. */
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
