import {
  AdditionalFieldRequired,
  CarrierNotDetected,
  InvalidCarrier,
  InvalidTrackingNumber,
  NoTrackingInfo,
  type ShipmentStatus,
  TemporarilyUnavailable,
  type TrackerOptions,
  type TrackQuery,
  type TrackResult
} from "@till402/core"
import { carriers } from "./Carriers.ts"
import type { OrderBook } from "./OrderBook.ts"
import { type Shipment, trackResult } from "./Shipment.ts"
import { shipments, unknownShipment } from "./Shipments.ts"

/** A sample tracking number and the response of `GET /x402/track` to it. */
export interface TrackingNumber {
  readonly number: string
  /** What it demonstrates, in a few words. */
  readonly shows: string
  /** HTTP status of the response. */
  readonly httpStatus: 200 | 400 | 404 | 422 | 502 | 503
  /** `code` of the error, if it is one. */
  readonly code?: string
  /** Status of the shipment, in a 200 or once `satisfiedBy` was sent. */
  readonly status?: ShipmentStatus
  /** Query parameters that make the lookup succeed; any value works. */
  readonly satisfiedBy?: Omit<TrackQuery, "number">
}

/**
 * All tracking numbers with a fixed response. The tracker also knows the parcels of the shop's orders; other
 * numbers are not found.
 */
export const trackingNumbers: ReadonlyArray<TrackingNumber> = [
  { number: "TILL-NOT-FOUND", shows: "no carrier data yet", httpStatus: 200, status: "NotFound" },
  { number: "TILL-INFO-RECEIVED", shows: "announced by the sender", httpStatus: 200, status: "InfoReceived" },
  { number: "TILL-IN-TRANSIT", shows: "on its way across the US", httpStatus: 200, status: "InTransit" },
  { number: "TILL-EXPIRED", shows: "no news for over 30 days", httpStatus: 200, status: "Expired" },
  {
    number: "TILL-PICKUP",
    shows: "waiting at a pickup point",
    httpStatus: 200,
    status: "AvailableForPickup"
  },
  {
    number: "TILL-OUT-FOR-DELIVERY",
    shows: "on the vehicle of a last-mile carrier (after a postal hand-off)",
    httpStatus: 200,
    status: "OutForDelivery"
  },
  {
    number: "TILL-FAILED",
    shows: "delivery attempted, nobody there",
    httpStatus: 200,
    status: "DeliveryFailure"
  },
  { number: "TILL-DELIVERED", shows: "delivered and signed for", httpStatus: 200, status: "Delivered" },
  {
    number: "TILL-EXCEPTION",
    shows: "refused and returned to the sender",
    httpStatus: 200,
    status: "Exception"
  },
  {
    number: "TILL-MALFORMED",
    shows: "not a number of any carrier",
    httpStatus: 400,
    code: "VALIDATION_ERROR"
  },
  {
    number: "TILL-NO-INFO",
    shows: "no information about the number",
    httpStatus: 404,
    code: "NO_TRACKING_INFO"
  },
  {
    number: "TILL-WHICH-CARRIER",
    shows: "ambiguous until a carrier is sent",
    httpStatus: 422,
    code: "CARRIER_NOT_DETECTED",
    status: "InTransit",
    satisfiedBy: { carrier: carriers.northline.code }
  },
  {
    number: "TILL-BAD-CARRIER",
    shows: "a carrier that does not exist",
    httpStatus: 422,
    code: "INVALID_CARRIER"
  },
  {
    number: "TILL-NEEDS-POSTCODE",
    shows: "the carrier requires the postal code",
    httpStatus: 422,
    code: "ADDITIONAL_FIELD_REQUIRED",
    status: "InTransit",
    satisfiedBy: { destinationPostalCode: "97201" }
  },
  {
    number: "TILL-NEEDS-PHONE",
    shows: "the carrier requires the phone number",
    httpStatus: 422,
    code: "ADDITIONAL_FIELD_REQUIRED",
    status: "AvailableForPickup",
    satisfiedBy: { phone: "+44 117 496 0000" }
  },
  {
    number: "TILL-NEEDS-DATE",
    shows: "the carrier requires the day of shipping",
    httpStatus: 422,
    code: "ADDITIONAL_FIELD_REQUIRED",
    status: "Delivered",
    satisfiedBy: { shipDate: "2026-01-15" }
  },
  {
    number: "TILL-NEEDS-COUNTRY",
    shows: "the carrier requires the country of destination",
    httpStatus: 422,
    code: "ADDITIONAL_FIELD_REQUIRED",
    status: "OutForDelivery",
    satisfiedBy: { destinationCountry: "DE" }
  },
  {
    number: "TILL-NEEDS-CPF",
    shows: "the Brazilian carrier requires a tax id",
    httpStatus: 422,
    code: "ADDITIONAL_FIELD_REQUIRED",
    status: "InfoReceived",
    satisfiedBy: { cpfOrCnpj: "111.444.777-35" }
  },
  {
    number: "TILL-UPSTREAM-ERROR",
    shows: "the tracking provider returns an invalid response",
    httpStatus: 502,
    code: "TRACKING_PROVIDER_ERROR"
  },
  {
    number: "TILL-UNAVAILABLE",
    shows: "the tracking provider is down",
    httpStatus: 503,
    code: "TRACKING_PROVIDER_UNAVAILABLE"
  }
]

type RequiredField = AdditionalFieldRequired["field"]

const fieldNames: Readonly<Record<RequiredField, string>> = {
  destinationPostalCode: "the postal code of the destination",
  destinationCountry: "the country of the destination",
  shipDate: "the ship date",
  phone: "the recipient's phone number",
  cpfOrCnpj: "the recipient's CPF or CNPJ"
}

/** The shipment, once the caller has sent the field that its carrier requires. */
const needing =
  (field: RequiredField, shipment: Shipment) =>
  (query: TrackQuery): Shipment => {
    if (query[field] === undefined || query[field] === "") {
      throw new AdditionalFieldRequired({
        message: `The carrier needs ${fieldNames[field]}: send ${field}.`,
        field
      })
    }
    return shipment
  }

/** Lookups that do more than return the shipment of a status. */
const lookups: Readonly<Record<string, (query: TrackQuery) => Shipment>> = {
  "TILL-MALFORMED": () => {
    // Completes a message that begins with "number".
    throw new InvalidTrackingNumber({ message: "is not a valid tracking number of any known carrier" })
  },
  "TILL-NO-INFO": ({ number }) => {
    throw new NoTrackingInfo({ message: `There is no tracking information for ${number} yet.` })
  },
  "TILL-WHICH-CARRIER": ({ carrier }) => {
    if (carrier === undefined) {
      const { harbour, northline } = carriers
      throw new CarrierNotDetected({
        message: "Several carriers use numbers like this: send the carrier.",
        candidates: [northline, harbour].map(({ code, name }) => ({ code, name }))
      })
    }
    return shipments.InTransit
  },
  "TILL-BAD-CARRIER": ({ carrier }) => {
    throw new InvalidCarrier({
      message:
        carrier === undefined ? "The number's carrier is not supported." : `There is no carrier ${carrier}.`
    })
  },
  "TILL-NEEDS-POSTCODE": needing("destinationPostalCode", shipments.InTransit),
  "TILL-NEEDS-PHONE": needing("phone", shipments.AvailableForPickup),
  "TILL-NEEDS-DATE": needing("shipDate", shipments.Delivered),
  "TILL-NEEDS-COUNTRY": needing("destinationCountry", shipments.OutForDelivery),
  "TILL-NEEDS-CPF": needing("cpfOrCnpj", {
    ...shipments.InfoReceived,
    carrier: carriers.ipe,
    origin: "BR",
    destination: "BR",
    serviceType: "Ipê Econômico"
  }),
  // Deliberately not a documented error: any other exception becomes a 502.
  "TILL-UPSTREAM-ERROR": () => {
    throw new Error("the sample tracking provider returned 200 with an HTML page")
  },
  "TILL-UNAVAILABLE": () => {
    throw new TemporarilyUnavailable({
      message: "The tracking provider is down for maintenance.",
      retryAfterSeconds: 60
    })
  }
}

const statuses = new Map(
  trackingNumbers.flatMap(({ httpStatus, number, status }) =>
    httpStatus === 200 && status !== undefined ? [[number, status] as const] : []
  )
)

/**
 * Creates a tracker that knows `trackingNumbers` and the parcels of orders, ignoring case.
 *
 * Times of sample numbers are relative to `now`, rounded down to the minute, so responses are stable for a
 * minute.
 */
export const tracker = (
  now: () => Date,
  parcels: Pick<OrderBook, "shipment">
): TrackerOptions<TrackResult> => ({
  track: async (query) => {
    const nowMillis = now().getTime()
    const parcel = parcels.shipment(query.number, nowMillis)
    if (parcel !== undefined) return trackResult(query.number, parcel, nowMillis)
    const name = query.number.toUpperCase()
    const lookup = Object.hasOwn(lookups, name) ? lookups[name] : undefined
    const status = statuses.get(name)
    const shipment =
      lookup !== undefined ? lookup(query) : status === undefined ? unknownShipment : shipments[status]
    return trackResult(query.number, shipment, Math.floor(nowMillis / 60_000) * 60_000)
  }
})
