import type { MilestoneStage, ShipmentStatus, TrackingEvent, TrackResult } from "@till402/core"

/** An event of a parcel, with its age. */
export interface ShipmentEvent {
  readonly hoursAgo: number
  /** The place's offset from UTC, e.g. `+05:30`. */
  readonly offset: string
  readonly location: string | null
  readonly description: string
  readonly stage: MilestoneStage | null
}

/** A shipment of the sample tracker, with times relative to now. */
export interface Shipment {
  readonly status: ShipmentStatus
  readonly subStatus: string | null
  readonly statusDescription: string | null
  readonly carrier: TrackResult["carrier"]
  readonly lastMileCarrier?: TrackResult["lastMileCarrier"]
  readonly origin: string | null
  readonly destination: string | null
  /** Newest first. */
  readonly events: ReadonlyArray<ShipmentEvent>
  readonly estimate?: {
    readonly fromHours: number | null
    readonly toHours: number | null
    readonly offset: string
    readonly source: string
  }
  readonly serviceType?: string
  readonly weightKg?: string
  readonly carrierNotice?: string
}

const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis

/** The order of a parcel's stages. */
const stages: ReadonlyArray<MilestoneStage> = [
  "InfoReceived",
  "PickedUp",
  "Departure",
  "Arrival",
  "AvailableForPickup",
  "OutForDelivery",
  "Delivered",
  "Returning",
  "Returned"
]

/** ISO 8601 in the local time of an offset: `2026-03-01T14:05:00-05:00`. */
export const localTime = (epochMillis: number, offset: string): string => {
  const match = /^([+-])(\d{2}):(\d{2})$/.exec(offset)
  if (match === null) throw new RangeError(`not an offset from UTC: ${JSON.stringify(offset)}`)
  const minutes = (Number(match[2]) * 60 + Number(match[3])) * (match[1] === "-" ? -1 : 1)
  return `${new Date(epochMillis + minutes * 60_000).toISOString().slice(0, 19)}${offset}`
}

const wholeDays = (fromMillis: number, toMillis: number): number =>
  Math.floor((toMillis - fromMillis) / dayMillis)

/** Converts a shipment at `now` (milliseconds since the epoch) to the API's track result. */
export const trackResult = (number: string, shipment: Shipment, now: number): TrackResult => {
  const at = ({ hoursAgo }: ShipmentEvent): number => now - Math.round(hoursAgo * hourMillis)
  const timeOf = (event: ShipmentEvent | undefined): string | null =>
    event === undefined ? null : localTime(at(event), event.offset)
  const events = shipment.events.map((event): TrackingEvent => ({
    time: timeOf(event),
    description: event.description,
    location: event.location,
    stage: event.stage
  }))
  // The first occurrence of a stage counts: history is newest first, so the last entry.
  const reached = (stage: MilestoneStage) => shipment.events.findLast((event) => event.stage === stage)
  const latest = shipment.events[0]
  const pickedUp = reached("PickedUp")
  const delivered = shipment.status === "Delivered" ? reached("Delivered") : undefined
  const ended = delivered ?? reached("Returned")
  const { estimate } = shipment
  const estimated = (hours: number | null): string | null =>
    estimate === undefined || hours === null ? null : localTime(now + hours * hourMillis, estimate.offset)
  return {
    number,
    status: shipment.status,
    subStatus: shipment.subStatus,
    statusDescription: shipment.statusDescription,
    delivered: shipment.status === "Delivered",
    found: shipment.status !== "NotFound",
    carrier: shipment.carrier,
    lastMileCarrier: shipment.lastMileCarrier ?? null,
    origin: shipment.origin,
    destination: shipment.destination,
    latestEvent: events[0] ?? null,
    events,
    milestones: stages.flatMap((stage) => {
      const event = reached(stage)
      return event === undefined ? [] : [{ stage, time: timeOf(event) }]
    }),
    pickedUpAt: timeOf(pickedUp),
    deliveredAt: timeOf(delivered),
    daysInTransit:
      pickedUp === undefined ? null : wholeDays(at(pickedUp), ended === undefined ? now : at(ended)),
    daysSinceLastUpdate: latest === undefined ? null : wholeDays(at(latest), now),
    estimatedDelivery:
      estimate === undefined
        ? null
        : { from: estimated(estimate.fromHours), to: estimated(estimate.toHours), source: estimate.source },
    serviceType: shipment.serviceType ?? null,
    weightKg: shipment.weightKg ?? null,
    carrierNotice: shipment.carrierNotice ?? null,
    trackingPageUrl: `https://track.example/${encodeURIComponent(number)}`
  }
}
