import { createHash } from "node:crypto"
import type { FulfilmentStatus, ProductReference, ShippingAddress } from "@till402/core"
import { carriers } from "./Carriers.ts"
import type { Shipment, ShipmentEvent } from "./Shipment.ts"

/** When an order changes its status, counted from its placement. */
export interface Timetable {
  /** Milliseconds; default 5,000. */
  readonly shippedAfterMillis?: number
  /** Milliseconds, not before `shippedAfterMillis`; default 10,000. */
  readonly deliveredAfterMillis?: number
}

/** The default timetable of the sample shop. */
export const defaultTimetable: Required<Timetable> = {
  shippedAfterMillis: 5_000,
  deliveredAfterMillis: 10_000
}

/** An order that the sample shop has accepted. */
export interface PlacedOrder {
  readonly orderId: string
  /** The shop's own order number. */
  readonly reference: string
  /** The ordered quote. */
  readonly quote: string
  readonly product: ProductReference
  readonly shippingAddress: ShippingAddress
  readonly email: string
  /** Dollars, decimal text. */
  readonly total: string
  readonly placedAt: Date
  /** Number of its parcel; the sample tracker knows it once the order is shipped. */
  readonly trackingNumber: string
}

/** The orders of the sample shop in this process, and their status. */
export interface OrderBook {
  /** Accepts an order; does nothing if it exists. */
  readonly take: (order: Omit<PlacedOrder, "reference" | "placedAt" | "trackingNumber">) => PlacedOrder
  readonly find: (orderId: string) => PlacedOrder | undefined
  /** The status of an order by its reference; `undefined` if unknown. */
  readonly status: (reference: string) => FulfilmentStatus | undefined
  /** The shipment of a tracking number, ignoring case, with times relative to `nowMillis`. */
  readonly shipment: (trackingNumber: string, nowMillis: number) => Shipment | undefined
  /** Newest last; grows. */
  readonly orders: ReadonlyArray<PlacedOrder>
}

/** Numbers derived from the order's id: stable across runs, and never reused by a restarted shop. */
const namesOf = (orderId: string): Pick<PlacedOrder, "reference" | "trackingNumber"> => {
  const digest = createHash("sha256").update(orderId).digest("hex").toUpperCase()
  return { reference: `SO-${digest.slice(0, 12)}`, trackingNumber: `NLX${digest.slice(12, 24)}` }
}

const hourMillis = 3_600_000
const origin = "Nashville, TN, US"
const domestic = "US"

/** The parcel as its carrier reports it. */
const shipmentOf = (
  { placedAt, shippingAddress }: PlacedOrder,
  { deliveredAfterMillis, shippedAfterMillis }: Required<Timetable>,
  nowMillis: number
): Shipment => {
  const destination = shippingAddress.country.toUpperCase()
  const event = (
    afterMillis: number,
    details: Pick<ShipmentEvent, "location" | "description" | "stage">
  ): ShipmentEvent => ({
    hoursAgo: (nowMillis - placedAt.getTime() - afterMillis) / hourMillis,
    offset: "+00:00",
    ...details
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
          // Tracking numbers don't reveal the recipient.
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
 * Creates an order book whose orders are shipped and delivered by the clock.
 *
 * @throws RangeError if the timetable's times are negative or out of order
 */
export const orderBook = (now: () => Date, timetable: Timetable = {}): OrderBook => {
  const times = { ...defaultTimetable, ...timetable }
  if (!(times.shippedAfterMillis >= 0 && times.deliveredAfterMillis >= times.shippedAfterMillis)) {
    throw new RangeError(
      "Invalid timetable: shippedAfterMillis must be at least 0, and deliveredAfterMillis at least that."
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
