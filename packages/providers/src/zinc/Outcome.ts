import { notPlaced, type Outcome, refusalReason, refused, unknown } from "../fulfilment/Placement.ts"
import type { ZincError } from "./Errors.ts"

/*
 * What a failed placing says of the order. Pure.
 */

/** Statuses of an answer that came before anything was looked at: the key, the account's rate. */
const notTaken: ReadonlySet<number> = new Set([401, 403, 429])

/** After a failure before anything was sent. */
export const beforeSending = (error: ZincError): Outcome => {
  const reason = error._tag === "TotalUnusable" ? "total_unusable" : refusalReason(error)
  return reason === undefined ? unknown() : refused(reason)
}

/** After the one request with an order, or where it could not be sent. */
export const afterSending = (error: ZincError): Outcome => {
  switch (error._tag) {
    // Nothing was sent.
    case "CircuitOpen":
    case "Overloaded":
    case "RateLimited":
    // Zinc takes no order that its wallet can't pay for.
    case "WalletShort":
      return notPlaced(error)
    case "Rejected":
      return notTaken.has(error.status) ? notPlaced(error) : unknown()
    default: {
      // Words of Zinc's own for why it takes no such order.
      const reason = refusalReason(error)
      return reason === undefined ? unknown() : refused(reason)
    }
  }
}
