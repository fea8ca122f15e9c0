import { AddressNotServed, ProductNotFound, ProductUnavailable } from "@till402/core"
import { Redacted } from "effect"
import { fieldsOf } from "../listing/Fields.ts"
import type { UpstreamFault } from "../upstream/index.ts"
import { IntentFailed, OfferNotReady, type QuoteRefusal } from "./Errors.ts"

/*
 * Rye's reasons for a failed intent (https://rye.com/docs/api-v2) as errors of the port. Pure functions.
 */

const unavailable = (reason: string, message = "The product can't be bought now."): ProductUnavailable =>
  new ProductUnavailable({ message, reason })

const wrongAddress = () =>
  new AddressNotServed({ message: "The shop does not take this address; see state, postal code and phone." })

/** A code of Rye that is safe in responses and logs; `unknown` for anything else. */
export const wordOf = (code: unknown): string =>
  typeof code === "string" && /^\w{1,60}$/.test(code) ? code : "unknown"

const outOfStock: ReadonlySet<string> = new Set(["insufficient_stock", "product_out_of_stock"])

/** Codes for a shop or product that can't be bought this way. */
const notSold: ReadonlySet<string> = new Set([
  "offer_retrieval_failed",
  "unsupported_currency",
  "unsupported_store_no_guest_checkout",
  "variant_selections_invalid",
  "variant_selections_required",
  "captcha_blocked",
  "bot_protection_blocked",
  "constraint_total_price_exceeded",
  "constraint_shipping_cost_exceeded"
])

/** The error for the `failureReason` of an intent that failed before it was confirmed. */
export const refusalOf = (failureReason: unknown): QuoteRefusal | OfferNotReady | IntentFailed => {
  const { code, message } = fieldsOf(failureReason)
  const word = wordOf(code)
  if (outOfStock.has(word)) return unavailable("out_of_stock", "The product is out of stock.")
  if (notSold.has(word)) return unavailable(word)
  switch (word) {
    case "product_not_found":
      return new ProductNotFound({ message: "There is no such product." })
    case "missing_shipping_method":
      return new AddressNotServed({ message: "The product is not delivered to this address." })
    case "form_validation_error":
      return wrongAddress()
    case "invalid_input":
      return refusalByWords(message) ?? new IntentFailed({ code: word })
    // A new intent may succeed.
    case "checkout_intent_expired":
    case "workflow_invocation_failed":
      return new OfferNotReady()
    default:
      return new IntentFailed({ code: word })
  }
}

const maxWords = 1_000

/** The refusal in a message. The messages are not documented. */
const refusalByWords = (message: unknown): QuoteRefusal | undefined => {
  const words = typeof message === "string" ? message.slice(0, maxWords).toLowerCase() : ""
  if (/address|postal|zip ?code|province|country|phone/.test(words)) return wrongAddress()
  if (/out of stock|sold out/.test(words)) return unavailable("out_of_stock", "The product is out of stock.")
  if (/not supported|unsupported|unavailable/.test(words)) return unavailable("not_sold")
  return /product|asin|variant|url/.test(words)
    ? new ProductNotFound({ message: "There is no such product." })
    : undefined
}

/** Statuses that refuse the content of a request. */
const refusing: ReadonlySet<number> = new Set([400, 404, 422])

/** The refusal in a fault; `undefined` if it is not understood. */
export const refusalIn = (fault: UpstreamFault): QuoteRefusal | undefined => {
  if (fault._tag !== "Rejected" || !refusing.has(fault.status)) return undefined
  let document: unknown
  try {
    document = JSON.parse(Redacted.value(fault.response).text)
  } catch {
    // Not from Rye's API, but from something in between.
    return undefined
  }
  const { code, error, message } = fieldsOf(document)
  if (code === "product_not_found") return new ProductNotFound({ message: "There is no such product." })
  return refusalByWords([message, fieldsOf(error)["message"], error].find((word) => typeof word === "string"))
}
