import {
  AdditionalFieldRequired,
  CarrierNotDetected,
  InvalidCarrier,
  InvalidTrackingNumber,
  NoTrackingInfo,
  type ShipmentStatus,
  TemporarilyUnavailable,
  type TrackerOptions,
  type TrackQuery
} from "@till402/core"
import { carriers } from "./Carriers.ts"
import type { OrderBook } from "./OrderBook.ts"
import { type Shipment, trackResult } from "./Shipment.ts"
import { shipments, unknownShipment } from "./Shipments.ts"

/** A number of the sample tracker and what `GET /x402/track` answers to it. */
export interface TrackingNumber {
  readonly number: string
  /** What it shows, in a few words. */
  readonly shows: string
  /** HTTP status of the answer. */
  readonly httpStatus: 200 | 400 | 404 | 422 | 502 | 503
  /** `code` of the error, where the answer is one. */
  readonly code?: string
  /** Status of the shipment: in a 200, or once `satisfiedBy` has been sent. */
  readonly status?: ShipmentStatus
  /** Query parameters with which the lookup succeeds after all; any value of the field will do. */
  readonly satisfiedBy?: Omit<TrackQuery, "number">
}

/**
 * Every number that the sample tracker knows of itself. It knows the parcels of the shop's orders, too; any other
 * number is answered as not found yet.
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
    shows: "on the vehicle of a last-mile carrier (postal hand-off)",
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
  { number: "TILL-MALFORMED", shows: "no number of any carrier", httpStatus: 400, code: "VALIDATION_ERROR" },
  {
    number: "TILL-NO-INFO",
    shows: "nothing to say of the number",
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
    shows: "the carrier asks for the postal code",
    httpStatus: 422,
    code: "ADDITIONAL_FIELD_REQUIRED",
    status: "InTransit",
    satisfiedBy: { destinationPostalCode: "97201" }
  },
  {
    number: "TILL-NEEDS-PHONE",
    shows: "the carrier asks for the phone number",
    httpStatus: 422,
    code: "ADDITIONAL_FIELD_REQUIRED",
    status: "AvailableForPickup",
    satisfiedBy: { phone: "+44 117 496 0000" }
  },
  {
    number: "TILL-NEEDS-DATE",
    shows: "the carrier asks for the day of shipping",
    httpStatus: 422,
    code: "ADDITIONAL_FIELD_REQUIRED",
    status: "Delivered",
    satisfiedBy: { shipDate: "2026-01-15" }
  },
  {
    number: "TILL-NEEDS-COUNTRY",
    shows: "the carrier asks for the country of destination",
    httpStatus: 422,
    code: "ADDITIONAL_FIELD_REQUIRED",
    status: "OutForDelivery",
    satisfiedBy: { destinationCountry: "DE" }
  },
  {
    number: "TILL-NEEDS-CPF",
    shows: "the Brazilian carrier asks for a tax id",
    httpStatus: 422,
    code: "ADDITIONAL_FIELD_REQUIRED",
    status: "InfoReceived",
    satisfiedBy: { cpfOrCnpj: "111.444.777-35" }
  },
  {
    number: "TILL-UPSTREAM-ERROR",
    shows: "the tracking provider answers nonsense",
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

/** The shipment, once the caller has sent the field that its carrier asks for. */
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

/** What a lookup does where it does more than give the shipment of the number's status. */
const lookups: Readonly<Record<string, (query: TrackQuery) => Shipment>> = {
  "TILL-MALFORMED": () => {
    // Completes "number …": the answer names the parameter.
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
  // Not one of the documented errors on purpose: whatever else a host throws is a 502.
  "TILL-UPSTREAM-ERROR": () => {
    throw new Error("the sample tracking provider answered 200 with an HTML page")
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
 * A tracker that knows `trackingNumbers` and the parcels of orders (letter case aside), and finds nothing yet for
 * any other number. Times of the former are told from `now`, rounded down to the minute: a delivery is always a
 * day old, and the answer the same for a minute. Times of parcels are their own.
 */
export const tracker = (now: () => Date, parcels: Pick<OrderBook, "shipment">): TrackerOptions => ({
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
