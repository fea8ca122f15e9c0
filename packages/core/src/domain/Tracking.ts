import { Schema } from "effect"
import { CountryCode, IntegerInQuery, Text } from "./Text.ts"

/** Query of `GET /x402/track`. */
export const TrackQuery = Schema.Struct({
  number: Schema.String.check(
    Schema.isPattern(/^[A-Za-z0-9-]{5,50}$/u, {
      message: "must be 5 to 50 characters of A-Z, a-z, 0-9 and hyphen"
    })
  ),
  carrier: Schema.optionalKey(
    IntegerInQuery.check(Schema.isGreaterThan(0, { message: "must be greater than 0" }))
  ),
  destinationPostalCode: Schema.optionalKey(Text({ max: 20 })),
  destinationCountry: Schema.optionalKey(CountryCode),
  shipDate: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u, { message: "must have the form YYYY-MM-DD" }),
      Schema.makeFilter((text: string) => isCalendarDay(text) || "must be a day of the calendar")
    )
  ),
  phone: Schema.optionalKey(Text({ max: 30 })),
  cpfOrCnpj: Schema.optionalKey(Text({ max: 20 }))
})
export type TrackQuery = typeof TrackQuery.Type

const isCalendarDay = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

export const ShipmentStatus = Schema.Literals([
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
export type ShipmentStatus = typeof ShipmentStatus.Type

export const MilestoneStage = Schema.Literals([
  "InfoReceived",
  "PickedUp",
  "Departure",
  "Arrival",
  "AvailableForPickup",
  "OutForDelivery",
  "Delivered",
  "Returning",
  "Returned"
])
export type MilestoneStage = typeof MilestoneStage.Type

const text = Schema.NullOr(Schema.String)
const number = Schema.NullOr(Schema.Finite)

export const TrackCarrier = Schema.Struct({
  code: number,
  name: text,
  homepage: text,
  country: text
}).annotate({
  identifier: "TrackCarrier"
})

export const TrackingEvent = Schema.Struct({
  time: text.annotate({ description: "ISO 8601 with the carrier's local UTC offset." }),
  description: text,
  location: text,
  stage: text
}).annotate({ identifier: "TrackingEvent" })
export type TrackingEvent = typeof TrackingEvent.Type

export const TrackMilestone = Schema.Struct({ stage: MilestoneStage, time: text }).annotate({
  identifier: "TrackMilestone"
})

/** What is known of a shipment. Every field is always present; what is unknown is null. */
export const TrackResult = Schema.Struct({
  number: Schema.String,
  status: ShipmentStatus,
  subStatus: text,
  statusDescription: text,
  delivered: Schema.Boolean,
  found: Schema.Boolean.annotate({ description: "False when no carrier data exists yet." }),
  carrier: TrackCarrier,
  lastMileCarrier: Schema.NullOr(Schema.Struct({ code: number, name: text })),
  origin: text,
  destination: text,
  latestEvent: Schema.NullOr(TrackingEvent),
  events: Schema.Array(TrackingEvent),
  milestones: Schema.Array(TrackMilestone),
  pickedUpAt: text,
  deliveredAt: text,
  daysInTransit: number,
  daysSinceLastUpdate: number,
  estimatedDelivery: Schema.NullOr(Schema.Struct({ from: text, to: text, source: text })),
  serviceType: text,
  weightKg: text,
  carrierNotice: text,
  trackingPageUrl: Schema.String
}).annotate({ identifier: "TrackResult" })
export type TrackResult = typeof TrackResult.Type
