import { notPlaced, type Outcome, refusalReason, refused, unknown } from "../fulfilment/Placement.ts"
import type { CrossmintError } from "./Errors.ts"

/*
 * What a failed placing says of the order. An order at Crossmint is placed by its payment, so it is the treasury's
 * journal that tells: before it has a payment of this order, nothing can be on its way. Pure.
 */

/** After a failure while the journal has no payment of this order. */
export const beforePaying = (error: CrossmintError): Outcome => {
  switch (error._tag) {
    case "QuoteChanged":
      return refused("price_changed")
    // A document that is new to us may mean anything, a payment among it.
    case "AnswerMalformed":
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

/** After a failure of the treasury to pay: see `Treasury.pay`. */
export const whilePaying = (error: CrossmintError): Outcome => {
  switch (error._tag) {
    // Nothing was signed for this order.
    case "PaymentLapsed":
    case "TreasuryShort":
    case "FeesTooHigh":
    case "TreasuryBusy":
    case "SigningFailed":
      return notPlaced(error)
    // Paid under another order's key, which may be the same buyer's: for people to see.
    case "PaymentRefused":
      return error.reason === "reference_taken" ? unknown() : notPlaced(error)
    default:
      return afterPaying(error)
  }
}

/** After a failure once a payment may have been recorded: its one transaction failed, or it is on its way. */
export const afterPaying = (error: CrossmintError): Outcome =>
  error._tag === "PaymentFailed" ? refused("payment_failed") : unknown()
