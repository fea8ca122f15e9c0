import type { ShipmentStatus } from "@till402/core"
import type { Found } from "./Lookup.ts"

/*
 * How long a shipment is told again without asking the provider. It polls carriers every 6 to 12 hours,
 * and every 24 once delivered, and its webhooks bring what changes in between: minutes while a shipment
 * moves, its own interval once nothing changes any more.
 */

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const lifetimes: Readonly<Record<ShipmentStatus, number>> = {
  // Short: the first news of a number that was just registered are a matter of seconds or minutes.
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

/** Milliseconds for which a shipment may be told again. */
export const lifetimeMillis = ({ shipment }: Found): number => lifetimes[shipment.result.status]

/** Milliseconds for which a refusal is: it costs the caller nothing, and must not cost the provider. */
export const refusalMillis = minute
