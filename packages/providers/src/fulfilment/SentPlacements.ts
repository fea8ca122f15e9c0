import { TemporarilyUnavailable } from "@till402/core"
import { BoundedMap } from "@till402/core/effect"

/*
 * Placements whose response was lost. Their requests may still reach the shop, so neither a refusal nor "not placed" is
 * certain until they can't.
 */

/** How long a request may take to arrive. */
export const inFlightMillis = 60_000
/** Placements that are remembered; the oldest are forgotten. */
const maxRemembered = 10_000

/** The placements that this process sent recently, by the till's order id. Times in milliseconds since the epoch. */
export class SentPlacements {
  private readonly sentAt = new BoundedMap<string, number>(maxRemembered)

  /** Remembers that a request is about to be sent. */
  add(orderId: string, nowMillis: number): void {
    this.sentAt.set(orderId, nowMillis)
  }

  /** Forgets a request whose outcome is known. */
  delete(orderId: string): void {
    this.sentAt.delete(orderId)
  }

  /** Milliseconds until no request for this order can arrive any more; 0: none is in flight. */
  millisLeft(orderId: string, nowMillis: number): number {
    return Math.max(0, (this.sentAt.get(orderId) ?? -Infinity) + inFlightMillis - nowMillis)
  }
}

/** The error of a call that can't know yet whether an order was placed. */
export const placementInFlight = (millisLeft: number): TemporarilyUnavailable =>
  new TemporarilyUnavailable({
    message: "The order may still reach the shop.",
    retryAfterSeconds: Math.ceil(millisLeft / 1_000)
  })
