import { notPlaced, type PlacementOutcome, refused, unknown } from "../fulfilment/PlacementOutcome.ts"
import { isUpstreamFault } from "../upstream/index.ts"
import type { RyeError } from "./Errors.ts"

/*
 * What a failed placement means for the order. An intent is confirmed at most once, and a failed intent stays
 * failed (https://rye.com/docs/api-v2), so an order is placed by its own intent or not at all. Pure functions.
 */

const outOfStock: ReadonlySet<string> = new Set(["insufficient_stock", "product_out_of_stock"])

/** Statuses of requests that were refused unread: because of the key, or the account's rate. */
const refusedUnread: ReadonlySet<number> = new Set([401, 403, 429])

/** Whether a fault proves that nothing was sent. */
export const wasNotSent = ({ _tag }: { readonly _tag: string }): boolean =>
  _tag === "CircuitOpen" || _tag === "Overloaded" || _tag === "RateLimited"

/** Earlier attempts of the same order. */
interface EarlierAttempts {
  /** Whether the confirmation of one may be in flight. */
  readonly mayArrive: boolean
}

/** The outcome if an attempt failed before the confirmation was sent. */
export const beforeConfirming = (error: RyeError, { mayArrive }: EarlierAttempts): PlacementOutcome => {
  if (error._tag === "IntentFailed") return refused(outOfStock.has(error.code) ? "out_of_stock" : error.code)
  if (mayArrive) return unknown()
  switch (error._tag) {
    // Offers don't change once they are made.
    case "OfferChanged":
      return refused("price_changed")
    case "OfferNotReady":
    case "JournalFailed":
    case "TooManyOrders":
      return notPlaced(error)
    // An unknown state or document may mean anything.
    case "ResponseMalformed":
      return unknown()
    default:
      return isUpstreamFault(error) ? notPlaced(error) : unknown()
  }
}

/** The outcome if the confirmation failed, and the intent was unconfirmed or could not be looked up. */
export const afterConfirming = (error: RyeError, { mayArrive }: EarlierAttempts): PlacementOutcome => {
  if (error._tag === "IntentFailed") return beforeConfirming(error, { mayArrive })
  const isCertain = wasNotSent(error) || (error._tag === "Rejected" && refusedUnread.has(error.status))
  return isCertain && !mayArrive ? notPlaced(error) : unknown()
}
