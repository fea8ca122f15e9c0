import {
  notPlaced,
  type PlacementOutcome,
  refusalReason,
  refused,
  unknown
} from "../fulfilment/PlacementOutcome.ts"
import type { ZincError } from "./Errors.ts"

/*
 * What a failed placement means for the order. Pure functions.
 */

/** Statuses of requests that were refused unread: because of the key, or the account's rate. */
const refusedUnread: ReadonlySet<number> = new Set([401, 403, 429])

/** The outcome if an attempt failed before anything was sent. */
export const beforeSending = (error: ZincError): PlacementOutcome => {
  const reason = error._tag === "TotalUnusable" ? "total_unusable" : refusalReason(error)
  return reason === undefined ? unknown() : refused(reason)
}

/** The outcome if the request with the order failed or could not be sent. */
export const afterSending = (error: ZincError): PlacementOutcome => {
  switch (error._tag) {
    // Nothing was sent.
    case "CircuitOpen":
    case "Overloaded":
    case "RateLimited":
    // Zinc accepts no order that the wallet can't pay for.
    case "WalletUnderfunded":
      return notPlaced(error)
    case "Rejected":
      return refusedUnread.has(error.status) ? notPlaced(error) : unknown()
    default: {
      // Zinc's own reason to refuse the order.
      const reason = refusalReason(error)
      return reason === undefined ? unknown() : refused(reason)
    }
  }
}
