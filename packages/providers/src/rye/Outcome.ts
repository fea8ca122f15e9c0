import { notPlaced, type Outcome, refused, unknown } from "../fulfilment/Placement.ts"
import { isFault } from "../upstream/index.ts"
import type { RyeError } from "./Errors.ts"

/*
 * What a failed placing says of the order. An intent is confirmed at most once, and one that failed never comes back
 * to life (https://rye.com/docs/api-v2): an order is placed by its own intent or not at all. Pure.
 */

const outOfStock: ReadonlySet<string> = new Set(["insufficient_stock", "product_out_of_stock"])

/** Statuses of an answer that came before anything was looked at: the key, the account's rate. */
const notTaken: ReadonlySet<number> = new Set([401, 403, 429])

/** Faults after which it is certain that nothing was sent. */
export const wasNotSent = ({ _tag }: { readonly _tag: string }): boolean =>
  _tag === "CircuitOpen" || _tag === "Overloaded" || _tag === "RateLimited"

/**
 * After a failure before the confirmation was sent.
 *
 * @param mayArrive a confirmation of an earlier attempt may still be on its way
 */
export const beforeConfirming = (error: RyeError, mayArrive: boolean): Outcome => {
  if (error._tag === "IntentFailed") return refused(outOfStock.has(error.code) ? "out_of_stock" : error.code)
  if (mayArrive) return unknown()
  switch (error._tag) {
    // Offers don't change any more once they are made.
    case "OfferChanged":
      return refused("price_changed")
    case "OfferNotReady":
    case "JournalFailed":
      return notPlaced(error)
    // A state or a document that is new to us may mean anything.
    case "AnswerMalformed":
      return unknown()
    default:
      return isFault(error) ? notPlaced(error) : unknown()
  }
}

/** After a failure of the confirmation itself, where the intent was seen unconfirmed or could not be looked at. */
export const afterConfirming = (error: RyeError, mayArrive: boolean): Outcome => {
  if (error._tag === "IntentFailed") return beforeConfirming(error, mayArrive)
  const isCertain = wasNotSent(error) || (error._tag === "Rejected" && notTaken.has(error.status))
  return isCertain && !mayArrive ? notPlaced(error) : unknown()
}
