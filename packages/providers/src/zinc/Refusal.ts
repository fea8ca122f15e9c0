import { AddressNotServed, ProductNotFound, ProductUnavailable } from "@till402/core"
import { Redacted } from "effect"
import { type Fields, fieldsOf } from "../listing/Fields.ts"
import type { UpstreamFault } from "../upstream/index.ts"
import { type OrderRefusal, WalletUnderfunded } from "./Errors.ts"

/*
 * Zinc's error codes as errors of the port. Pure functions.
 * https://www.zinc.com/docs/v2/api-reference/introduction/error-handling
 */

/** A code of Zinc that is safe in responses and logs; `unknown` for anything else. */
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

/** The error in a response: flat as documented, or in an envelope as in Zinc's guides. */
const errorIn = (fault: UpstreamFault): Fields | undefined => {
  if (fault._tag !== "Rejected") return undefined
  let document: unknown
  try {
    document = JSON.parse(Redacted.value(fault.response).text)
  } catch {
    // Not from Zinc's API, but from something in between.
    return undefined
  }
  const fields = fieldsOf(document)
  return typeof fields["code"] === "string" ? fields : fieldsOf(fields["error"])
}

/** The refusal in a `validation_error`, by the names of its details, never their values. */
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

/** The refusal in a fault; `undefined` if it is not understood. */
export const refusalIn = (fault: UpstreamFault): OrderRefusal | WalletUnderfunded | undefined => {
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
  if (walletShort.has(code)) return new WalletUnderfunded({ code })
  return code === "validation_error" ? invalidField(error["details"]) : undefined
}

/** The order that already has this key, with its id if Zinc reports it; `undefined` for other faults. */
export const duplicateIn = (fault: UpstreamFault): { readonly id: unknown } | undefined => {
  const error = errorIn(fault)
  if (error === undefined || wordOf(error["code"]) !== "already_exists") return undefined
  const { id, order_id } = fieldsOf(error["details"])
  return { id: order_id ?? id }
}
