import { PaymentRefused } from "../toll/PaymentErrors.ts"

/** Refuses a payment whose quote has expired, has bought an order, or was replaced by a newer one: a 402. */
export const quoteExpired = new PaymentRefused({
  refusal: {
    code: "quote_expired",
    message: "the quote has expired or has already bought an order; nothing was charged, pay the new amount"
  }
})
