import type { ShipmentStatus } from "@till402/core"
import type { Found } from "./FirstNews.ts"

/*
 * How long lookups are cached. The provider polls carriers every 6 to 12 hours, and every 24 once delivered;
 * its webhooks report changes in between. A moving shipment is cached for minutes, a finished one as long as
 * the provider's interval.
 */

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const lifetimes: Readonly<Record<ShipmentStatus, number>> = {
  // Short: a newly registered number gets its first news within seconds or minutes.
  NotFound: 15 * second,
  InfoReceived: 5 * minute,
  InTransit: 5 * minute,
  OutForDelivery: 2 * minute,
  AvailableForPickup: 5 * minute,
  DeliveryFailure: 5 * minute,
  Exception: 10 * minute,
  Expired: 6 * hour,
  Delivered: 24 * hour
}

/** How long a shipment is cached, in milliseconds. */
export const lifetimeMillis = ({ shipment }: Found): number => lifetimes[shipment.result.status]

/** How long a refusal is cached, in milliseconds. Refusals are free, so repeating them must be cheap. */
export const refusalMillis = minute
