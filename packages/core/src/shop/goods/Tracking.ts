import { Schema } from "effect"
import { CountryCode, described, IntegerInQuery, isWebAddress, Text } from "../../domain/Text.ts"

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Says when a field is needed that most look-ups do without. */
const onDemand = (what: string) =>
  described(`${what} Only needed when a look-up returns 422 ADDITIONAL_FIELD_REQUIRED naming it.`)

/** Query of `GET /x402/track`. */
export const TrackQuery = Schema.Struct({
  /** Tracking number: 5 to 50 letters, digits and hyphens. */
  number: Schema.String.check(
    Schema.makeFilter(
      (text: string) =>
        !uuid.test(text) ||
        "is the id of an order, not a tracking number: the order's status page and its mails name those of its parcels"
    ),
    Schema.isPattern(/^[A-Za-z0-9-]{5,50}$/u, {
      message: "must be 5 to 50 characters of A-Z, a-z, 0-9 and hyphen"
    })
  ).pipe(described("Tracking number of any parcel; it need not belong to an order of this service.")),
  /** Carrier code, if it can't be detected. */
  carrier: Schema.optionalKey(
    IntegerInQuery.check(Schema.isGreaterThan(0, { message: "must be greater than 0" })).pipe(
      described(
        "Numeric carrier code of the tracking provider. Omit it to auto-detect the carrier; send it for an ambiguous number, or after 422 CARRIER_NOT_DETECTED, whose details list candidates."
      )
    )
  ),
  /** Postal code of the recipient; some carriers need it. */
  destinationPostalCode: Schema.optionalKey(
    Text({ max: 20 }).pipe(onDemand("Postal code of the recipient."))
  ),
  /** ISO 3166-1 alpha-2 code of the recipient's country; some carriers need it. */
  destinationCountry: Schema.optionalKey(
    CountryCode.pipe(
      described(
        "ISO 3166-1 alpha-2 code of the recipient's country. Some carriers need it with destinationPostalCode; then a look-up returns 422 ADDITIONAL_FIELD_REQUIRED naming it."
      )
    )
  ),
  /** `YYYY-MM-DD`; some carriers need it. */
  shipDate: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u, { message: "must have the form YYYY-MM-DD" }),
      Schema.makeFilter((text: string) => isCalendarDay(text) || "must be a day of the calendar", {
        toJsonSchema: () => ({ format: "date" })
      })
    ).pipe(onDemand("Day on which it was shipped, YYYY-MM-DD."))
  ),
  /** Phone number of the recipient; some carriers need it. */
  phone: Schema.optionalKey(Text({ max: 30 }).pipe(onDemand("Phone number of the recipient."))),
  /** Brazilian tax number of the recipient; some carriers need it. */
  cpfOrCnpj: Schema.optionalKey(
    Text({ max: 20 }).pipe(
      onDemand("Brazilian tax id (CPF or CNPJ) of the recipient, which some Brazilian carriers require.")
    )
  )
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

const WebAddress = Schema.String.check(isWebAddress)
const number = Schema.NullOr(Schema.Finite)

const code = number.annotate({ description: "The tracking provider's code of the carrier." })
const name = text.annotate({ description: "Name of the carrier." })

/** The carrier of a shipment. */
export const TrackCarrier = Schema.Struct({
  /** Carrier code. */
  code,
  /** Name of the carrier. */
  name,
  /** Address of its website. */
  homepage: Schema.NullOr(WebAddress).annotate({ description: "Address of its website." }),
  /** ISO 3166-1 alpha-2 code of its country. */
  country: text.annotate({ description: "ISO 3166-1 alpha-2 code of its country." })
}).annotate({
  identifier: "TrackCarrier",
  description: "The carrier of a shipment."
})

/** One event in the history of a shipment. */
export const TrackingEvent = Schema.Struct({
  /** ISO 8601, with the carrier's local UTC offset. */
  time: time.annotate({ description: "When it happened, ISO 8601 with the carrier's local UTC offset." }),
  /** What happened, in the carrier's words. */
  description: text.annotate({ description: "What happened, in the carrier's words." }),
  /** Where it happened. */
  location: text.annotate({ description: "Where it happened." }),
  /** The milestone that it belongs to. */
  stage: text.annotate({ description: "The milestone that it belongs to." })
}).annotate({ identifier: "TrackingEvent", description: "An event in the history of a shipment." })
export type TrackingEvent = typeof TrackingEvent.Type

/** A milestone of a shipment. */
export const TrackMilestone = Schema.Struct({
  stage: MilestoneStage.annotate({ description: "The stage." }),
  /** When it was reached, ISO 8601. */
  time: time.annotate({ description: "When it was reached, ISO 8601 with the carrier's local UTC offset." })
}).annotate({
  identifier: "TrackMilestone"
})
export type TrackMilestone = typeof TrackMilestone.Type

/** The tracking data of a shipment. Every field is always present; unknown values are null. */
export const TrackResult = Schema.Struct({
  /** The tracking number of the request. */
  number: Schema.String.annotate({ description: "Tracking number." }),
  /** Current state. */
  status: ShipmentStatus.annotate({ description: "Current state." }),
  /** Finer state, in the tracking provider's terms. */
  subStatus: text.annotate({ description: "Finer status: the status, an underscore, a detail." }),
  /** The current state as a sentence. */
  statusDescription: text.annotate({ description: "The carrier's words on subStatus." }),
  /** Whether it was delivered. */
  delivered: Schema.Boolean.annotate({ description: "Whether it was delivered." }),
  /** Whether carrier data exists. */
  found: Schema.Boolean.annotate({
    description:
      "False when no carrier data exists yet: a result, and charged. A number that no carrier knows is a 404, and isn't."
  }),
  /** The carrier that picked it up. */
  carrier: TrackCarrier,
  /** The carrier that delivers it, if different. */
  lastMileCarrier: Schema.NullOr(Schema.Struct({ code, name })).annotate({
    description: "The final-mile carrier on postal handoffs, otherwise null."
  }),
  /** Country or place of departure. */
  origin: text.annotate({ description: "ISO 3166-1 alpha-2 code." }),
  /** Country or place of destination. */
  destination: text.annotate({ description: "Country code." }),
  /** The newest event. */
  latestEvent: Schema.NullOr(TrackingEvent).annotate({ description: "The newest event." }),
  /** All events, newest first, each once. */
  events: Schema.Array(TrackingEvent).annotate({
    description: "Full history, newest first, deduplicated across carriers."
  }),
  /** The stages that it has reached, in shipping order. */
  milestones: Schema.Array(TrackMilestone).annotate({
    description: "Stages reached, in shipping order."
  }),
  /** When the carrier picked it up, ISO 8601. */
  pickedUpAt: time.annotate({
    description: "When the carrier picked it up, ISO 8601 with its local UTC offset."
  }),
  /** When it was delivered, ISO 8601. */
  deliveredAt: time.annotate({ description: "When it was delivered, in the same form." }),
  /** Days since the carrier picked it up. */
  daysInTransit: number.annotate({
    description: "Days since the carrier picked it up."
  }),
  /** Days since the newest event. */
  daysSinceLastUpdate: number.annotate({
    description: "Days since the carrier last reported, to judge how stale the rest is."
  }),
  /** When delivery is expected, and who estimated it. */
  estimatedDelivery: Schema.NullOr(
    Schema.Struct({
      from: estimatedTime.annotate({ description: "Earliest, as an ISO 8601 day or time." }),
      to: estimatedTime.annotate({ description: "Latest, in the same form." }),
      source: text.annotate({
        description:
          "Official if the carrier estimates, or the tracking provider's word for its own estimate."
      })
    })
  ).annotate({ description: "When delivery is expected." }),
  /** Name of the carrier's service. */
  serviceType: text.annotate({ description: "Name of the carrier's service." }),
  /** Weight in kilograms, as text. */
  weightKg: text.annotate({ description: "Weight in kilograms." }),
  /** A notice from the carrier. */
  carrierNotice: text.annotate({
    description: "Official notice of the carrier, often explaining a tracking problem."
  }),
  /** Address of a page that shows the shipment. */
  trackingPageUrl: WebAddress.annotate({ description: "Page that shows the same number to people." })
}).annotate({ identifier: "TrackResult" })
export type TrackResult = typeof TrackResult.Type
