import {
  notPlaced,
  type PlacementOutcome,
  refusalReason,
  refused,
  unknown
} from "../fulfilment/PlacementOutcome.ts"
import type { CrossmintError } from "./Errors.ts"

/*
 * What a failed placement means for the order. An order at Crossmint is placed by its payment: as long as the
 * treasury's journal has no payment of the order, nothing is in flight. Pure functions.
 */

/** The outcome while the journal has no payment of this order. */
export const beforePaying = (error: CrossmintError): PlacementOutcome => {
  switch (error._tag) {
    case "QuoteChanged":
      return refused("price_changed")
    // An unknown document may mean anything, including a payment.
    case "ResponseMalformed":
    case "TreasuryFailed":
      return unknown()
    case "PaymentRefused":
      return whilePaying(error)
    default: {
      const reason = refusalReason(error)
      return reason === undefined ? notPlaced(error) : refused(reason)
    }
  }
}

/** The outcome if the treasury failed to pay; see `Treasury.pay`. */
export const whilePaying = (error: CrossmintError): PlacementOutcome => {
  switch (error._tag) {
    // Nothing was signed for this order.
    case "PaymentExpired":
    case "TreasuryUnderfunded":
    case "FeesTooHigh":
    case "TreasuryBusy":
    case "SigningFailed":
      return notPlaced(error)
    // Paid under another order's key, perhaps of the same buyer: an operator must decide.
    case "PaymentRefused":
      return error.reason === "reference_taken" ? unknown() : notPlaced(error)
    default:
      return afterPaying(error)
  }
}

/** The outcome once a payment may have been recorded: its transaction failed, or is in flight. */
export const afterPaying = (error: CrossmintError): PlacementOutcome =>
  error._tag === "PaymentFailed" ? refused("payment_failed") : unknown()
