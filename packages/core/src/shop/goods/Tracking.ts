import { Schema } from "effect"
import { CountryCode, IntegerInQuery, Text } from "../../domain/Text.ts"

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Query of `GET /x402/track`. */
export const TrackQuery = Schema.Struct({
  /** Tracking number: 5 to 50 letters, digits and hyphens. */
  number: Schema.String.check(
    Schema.isPattern(/^[A-Za-z0-9-]{5,50}$/u, {
      message: "must be 5 to 50 characters of A-Z, a-z, 0-9 and hyphen"
    }),
    Schema.makeFilter(
      (text: string) =>
        !uuid.test(text) ||
        "is the id of an order, not a tracking number: the order's status page and its mails name those of its parcels"
    )
  ),
  /** Carrier code, if it can't be detected. */
  carrier: Schema.optionalKey(
    IntegerInQuery.check(Schema.isGreaterThan(0, { message: "must be greater than 0" }))
  ),
  /** Postal code of the recipient; some carriers need it. */
  destinationPostalCode: Schema.optionalKey(Text({ max: 20 })),
  /** ISO 3166-1 alpha-2 code of the recipient's country; some carriers need it. */
  destinationCountry: Schema.optionalKey(CountryCode),
  /** `YYYY-MM-DD`; some carriers need it. */
  shipDate: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u, { message: "must have the form YYYY-MM-DD" }),
      Schema.makeFilter((text: string) => isCalendarDay(text) || "must be a day of the calendar")
    )
  ),
  /** Phone number of the recipient; some carriers need it. */
  phone: Schema.optionalKey(Text({ max: 30 })),
  /** Brazilian tax number of the recipient; some carriers need it. */
  cpfOrCnpj: Schema.optionalKey(Text({ max: 20 }))
})
export type TrackQuery = typeof TrackQuery.Type

/** `Date.parse` takes February 30 for March 2. */
const isCalendarDay = (text: string): boolean =>
  new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(8))

/** States of a shipment. */
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

/** Milestones of a shipment, in their usual order. */
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

const timestamp =
  /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)$/

const isTimestamp = (text: string): boolean => timestamp.test(text) && isCalendarDay(text.slice(0, 10))

const Timestamp = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      isTimestamp(text) || "must be ISO 8601 with an offset, such as 2026-03-02T09:30:00-05:00"
  )
)
const time = Schema.NullOr(Timestamp)

/** Carriers estimate days, too. */
const estimatedTime = Schema.NullOr(
  Schema.String.check(
    Schema.makeFilter(
      (text: string) =>
        isTimestamp(text) ||
        (/^\d{4}-\d{2}-\d{2}$/.test(text) && isCalendarDay(text)) ||
        "must be ISO 8601: a day, or a time with an offset"
    )
  )
)

const WebAddress = Schema.String.check(
  Schema.makeFilter(
    (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? "") || "must be an http(s) URL"
  )
)
const number = Schema.NullOr(Schema.Finite)

/** The carrier of a shipment. */
export const TrackCarrier = Schema.Struct({
  /** Carrier code. */
  code: number,
  /** Name of the carrier. */
  name: text,
  /** Address of its website. */
  homepage: Schema.NullOr(WebAddress),
  /** ISO 3166-1 alpha-2 code of its country. */
  country: text
}).annotate({
  identifier: "TrackCarrier"
})

/** One event in the history of a shipment. */
export const TrackingEvent = Schema.Struct({
  /** ISO 8601, with the carrier's local UTC offset. */
  time: time.annotate({ description: "ISO 8601 with the carrier's local UTC offset." }),
  /** What happened, in the carrier's words. */
  description: text,
  /** Where it happened. */
  location: text,
  /** The milestone that it belongs to. */
  stage: text
}).annotate({ identifier: "TrackingEvent" })
export type TrackingEvent = typeof TrackingEvent.Type

/** A milestone of a shipment. */
export const TrackMilestone = Schema.Struct({
  stage: MilestoneStage,
  /** When it was reached, ISO 8601. */
  time
}).annotate({
  identifier: "TrackMilestone"
})
export type TrackMilestone = typeof TrackMilestone.Type

/** The tracking data of a shipment. Every field is always present; unknown values are null. */
export const TrackResult = Schema.Struct({
  /** The tracking number of the request. */
  number: Schema.String,
  /** Current state. */
  status: ShipmentStatus,
  /** Finer state, in the tracking provider's terms. */
  subStatus: text,
  /** The current state as a sentence. */
  statusDescription: text,
  /** Whether it was delivered. */
  delivered: Schema.Boolean,
  /** Whether carrier data exists. */
  found: Schema.Boolean.annotate({ description: "False when no carrier data exists yet." }),
  /** The carrier that picked it up. */
  carrier: TrackCarrier,
  /** The carrier that delivers it, if different. */
  lastMileCarrier: Schema.NullOr(Schema.Struct({ code: number, name: text })),
  /** Country or place of departure. */
  origin: text,
  /** Country or place of destination. */
  destination: text,
  /** The newest event. */
  latestEvent: Schema.NullOr(TrackingEvent),
  /** All events, newest first, each once. */
  events: Schema.Array(TrackingEvent),
  /** The stages that it has reached, in shipping order. */
  milestones: Schema.Array(TrackMilestone),
  /** When the carrier picked it up, ISO 8601. */
  pickedUpAt: time,
  /** When it was delivered, ISO 8601. */
  deliveredAt: time,
  /** Days since the carrier picked it up. */
  daysInTransit: number,
  /** Days since the newest event. */
  daysSinceLastUpdate: number,
  /** When delivery is expected, and who estimated it. */
  estimatedDelivery: Schema.NullOr(Schema.Struct({ from: estimatedTime, to: estimatedTime, source: text })),
  /** Name of the carrier's service. */
  serviceType: text,
  /** Weight in kilograms, as text. */
  weightKg: text,
  /** A notice from the carrier. */
  carrierNotice: text,
  /** Address of a page that shows the shipment. */
  trackingPageUrl: WebAddress
}).annotate({ identifier: "TrackResult" })
export type TrackResult = typeof TrackResult.Type
