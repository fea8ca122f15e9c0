import { AddressNotServed, ProductNotFound, ProductUnavailable } from "@till402/core"
import { Redacted } from "effect"
import { type Fields, fieldsOf } from "../listing/fields.ts"
import type { UpstreamFault } from "../upstream/index.ts"
import { type OrderRefusal, WalletShort } from "./Errors.ts"

/*
 * Zinc's error codes (https://www.zinc.com/docs/v2/api-reference/introduction/error-handling) in ours. Pure.
 */

/** A word of Zinc's that can stand in an answer and in a log; `unknown` for anything else. */
export const wordOf = (code: unknown): string =>
  typeof code === "string" && /^\w{1,60}$/.test(code) ? code : "unknown"

const notFound: ReadonlySet<string> = new Set(["url_unreachable", "invalid_product_url", "product_not_found"])
const notServed: ReadonlySet<string> = new Set([
  "invalid_shipping_address",
  "shipping_address_invalid",
  "shipping_unavailable",
  "shipping_method_unavailable"
])
const outOfStock: ReadonlySet<string> = new Set([
  "out_of_stock",
  "product_out_of_stock",
  "product_quantity_unavailable"
])
const notSold: ReadonlySet<string> = new Set([
  "invalid_variant",
  "non_us_retailer",
  "product_unavailable",
  "product_variant_required",
  "product_variant_unavailable",
  "retailer_not_supported",
  "max_price_exceeded"
])
const walletShort: ReadonlySet<string> = new Set([
  "insufficient_funds",
  "payment_failed",
  "payment_method_required",
  "invalid_payment_method"
])

/** The error of an answer: flat as documented, or in an envelope as Zinc's own guides show it. */
const errorIn = (fault: UpstreamFault): Fields | undefined => {
  if (fault._tag !== "Rejected") return undefined
  let document: unknown
  try {
    document = JSON.parse(Redacted.value(fault.answer).text)
  } catch {
    // Not a word of Zinc's API, but of something between us.
    return undefined
  }
  const fields = fieldsOf(document)
  return typeof fields["code"] === "string" ? fields : fieldsOf(fields["error"])
}

/** What a `validation_error` complains of: the names of its details, never their values. */
const invalidField = (details: unknown): OrderRefusal | undefined => {
  const names = Object.keys(fieldsOf(details)).slice(0, 20).join(" ")
  if (/address|postal|state|city|phone|country|_name/.test(names)) return wrongAddress()
  return /products|url/.test(names) ? noProduct() : undefined
}

const wrongAddress = () =>
  new AddressNotServed({
    message: "The product is not delivered to this address; see state and postal code."
  })
const noProduct = () => new ProductNotFound({ message: "There is no such product." })

/** Why an order is refused; what is not understood stays what it is, a fault. */
export const refusalIn = (fault: UpstreamFault): OrderRefusal | WalletShort | undefined => {
  const error = errorIn(fault)
  if (error === undefined) return undefined
  const code = wordOf(error["code"])
  if (notFound.has(code)) return noProduct()
  if (notServed.has(code)) return wrongAddress()
  if (outOfStock.has(code)) {
    return new ProductUnavailable({ message: "The product is out of stock.", reason: "out_of_stock" })
  }
  if (notSold.has(code)) {
    return new ProductUnavailable({ message: "The product can't be bought now.", reason: code })
  }
  if (walletShort.has(code)) return new WalletShort({ code })
  return code === "validation_error" ? invalidField(error["details"]) : undefined
}

/** Whether Zinc says that it has an order with this key already, and its id where it tells that too. */
export const duplicateIn = (fault: UpstreamFault): { readonly id: unknown } | undefined => {
  const error = errorIn(fault)
  if (error === undefined || wordOf(error["code"]) !== "already_exists") return undefined
  const { id, order_id } = fieldsOf(error["details"])
  return { id: order_id ?? id }
}
