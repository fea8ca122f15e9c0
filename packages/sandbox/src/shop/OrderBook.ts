import { createHash } from "node:crypto"
import type { FulfilmentStatus, ProductReference, ShippingAddress } from "@till402/core"
import { carriers } from "./Carriers.ts"
import type { Shipment, ShipmentEvent } from "./Shipment.ts"

/** When an order moves on, counted from its placing. */
export interface Timetable {
  /** Milliseconds; default 5,000. */
  readonly shippedAfterMillis?: number
  /** Milliseconds, not before it is shipped; default 10,000. */
  readonly deliveredAfterMillis?: number
}

/** When orders of the sample shop move on unless told otherwise. */
export const defaultTimetable: Required<Timetable> = {
  shippedAfterMillis: 5_000,
  deliveredAfterMillis: 10_000
}

/** An order that the sample shop has taken. */
export interface PlacedOrder {
  readonly orderId: string
  /** The shop's own number of the order. */
  readonly reference: string
  /** The quote that was ordered. */
  readonly quote: string
  readonly product: ProductReference
  readonly shippingAddress: ShippingAddress
  readonly email: string
  /** Dollars, decimal text. */
  readonly total: string
  readonly placedAt: Date
  /** Of its parcel; the sample tracker knows it once the order is shipped. */
  readonly trackingNumber: string
}

/** The orders of the sample shop and how they stand; of this process. */
export interface OrderBook {
  /** Takes an order; one that it has already is left as it is. */
  readonly take: (order: Omit<PlacedOrder, "reference" | "placedAt" | "trackingNumber">) => PlacedOrder
  readonly find: (orderId: string) => PlacedOrder | undefined
  /** How an order stands by its reference; `undefined`: there is no such order. */
  readonly status: (reference: string) => FulfilmentStatus | undefined
  /** The shipment of a tracking number, letter case aside, told in times before `nowMillis`. */
  readonly shipment: (trackingNumber: string, nowMillis: number) => Shipment | undefined
  /** Newest last; grows. */
  readonly orders: ReadonlyArray<PlacedOrder>
}

/**
 * Names drawn from the order's id: the same order has the same ones in every run, and a shop that starts anew
 * gives none a second time.
 */
const namesOf = (orderId: string): Pick<PlacedOrder, "reference" | "trackingNumber"> => {
  const digest = createHash("sha256").update(orderId).digest("hex").toUpperCase()
  return { reference: `SO-${digest.slice(0, 12)}`, trackingNumber: `NLX${digest.slice(12, 24)}` }
}

const hourMillis = 3_600_000
const origin = "Nashville, TN, US"
const domestic = "US"

/** The parcel as its carrier tells of it. */
const shipmentOf = (
  { placedAt, shippingAddress }: PlacedOrder,
  { deliveredAfterMillis, shippedAfterMillis }: Required<Timetable>,
  nowMillis: number
): Shipment => {
  const destination = shippingAddress.country.toUpperCase()
  const event = (
    afterMillis: number,
    told: Pick<ShipmentEvent, "location" | "description" | "stage">
  ): ShipmentEvent => ({
    hoursAgo: (nowMillis - placedAt.getTime() - afterMillis) / hourMillis,
    offset: "+00:00",
    ...told
  })
  const history = [
    event(shippedAfterMillis, { location: origin, description: "Picked up", stage: "PickedUp" }),
    event(0, { location: origin, description: "Shipping label created", stage: "InfoReceived" })
  ]
  const shared = {
    carrier: carriers.northline,
    origin: domestic,
    destination,
    serviceType: "Northline Sample"
  }
  return nowMillis - placedAt.getTime() < deliveredAfterMillis
    ? {
        ...shared,
        status: "InTransit",
        subStatus: "InTransit_PickedUp",
        statusDescription: "The parcel is on its way.",
        events: history
      }
    : {
        ...shared,
        status: "Delivered",
        subStatus: "Delivered_Other",
        statusDescription: "The parcel was delivered.",
        events: [
          // Who knows the number need not know where it went.
          event(deliveredAfterMillis, {
            location: destination,
            description: "Delivered",
            stage: "Delivered"
          }),
          ...history
        ]
      }
}

/**
 * A book of orders that are shipped and delivered by the clock.
 *
 * @throws RangeError where an order would be shipped before it is placed, or delivered before it is shipped
 */
export const orderBook = (now: () => Date, timetable: Timetable = {}): OrderBook => {
  const times = { ...defaultTimetable, ...timetable }
  if (!(times.shippedAfterMillis >= 0 && times.deliveredAfterMillis >= times.shippedAfterMillis)) {
    throw new RangeError(
      "An order is placed, then shipped, then delivered: the timetable has them otherwise."
    )
  }
  const orders: Array<PlacedOrder> = []
  const byId = new Map<string, PlacedOrder>()
  const byReference = new Map<string, PlacedOrder>()
  const byTrackingNumber = new Map<string, PlacedOrder>()
  const ageMillis = ({ placedAt }: PlacedOrder, nowMillis = now().getTime()) => nowMillis - placedAt.getTime()

  return {
    take: (order) => {
      const known = byId.get(order.orderId)
      if (known !== undefined) return known
      const placed = { ...order, ...namesOf(order.orderId), placedAt: now() }
      byId.set(placed.orderId, placed)
      byReference.set(placed.reference, placed)
      byTrackingNumber.set(placed.trackingNumber, placed)
      orders.push(placed)
      return placed
    },
    find: (orderId) => byId.get(orderId),
    status: (reference) => {
      const order = byReference.get(reference)
      if (order === undefined) return undefined
      const age = ageMillis(order)
      if (age < times.shippedAfterMillis) return { status: "placed", shipments: [] }
      const { trackingNumber } = order
      return {
        status: age < times.deliveredAfterMillis ? "shipped" : "delivered",
        shipments: [
          {
            carrier: carriers.northline.name,
            trackingNumber,
            trackingUrl: `https://track.example/${trackingNumber}`
          }
        ]
      }
    },
    shipment: (trackingNumber, nowMillis) => {
      const order = byTrackingNumber.get(trackingNumber.toUpperCase())
      return order === undefined || ageMillis(order, nowMillis) < times.shippedAfterMillis
        ? undefined
        : shipmentOf(order, times, nowMillis)
    },
    orders
  }
}
