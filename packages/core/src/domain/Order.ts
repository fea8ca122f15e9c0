import { Schema } from "effect"
import type { Issue } from "./ApiError.ts"
import { type Money, MoneyText } from "./Money.ts"
import { CountryCode, Text } from "./Text.ts"

export const ShippingAddress = Schema.Struct({
  name: Text({ min: 1, max: 200 }),
  line1: Text({ min: 1, max: 200 }),
  line2: Schema.optionalKey(Text({ max: 200 })),
  city: Text({ min: 1, max: 100 }),
  state: Text({ min: 1, max: 100 }),
  postalCode: Text({ min: 1, max: 20 }),
  country: CountryCode,
  phone: Schema.optionalKey(Text({ max: 30 }))
}).annotate({ identifier: "ShippingAddress" })
export type ShippingAddress = typeof ShippingAddress.Type

/** The rule of `<input type=email>`: https://html.spec.whatwg.org/#valid-e-mail-address, bounded. */
export const Email = Schema.String.check(
  Schema.isMaxLength(254, { message: "must have at most 254 characters" }),
  Schema.isPattern(
    /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/u,
    { message: "must be an e-mail address" }
  )
)

const isHttpUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === ""
  )
}

/** `asin` in a product page's address, in upper case. */
export const asinOfUrl = (productUrl: string): string | undefined =>
  /\/(?:dp|gp\/product|gp\/aw\/d)\/([A-Za-z0-9]{10})(?=[/?#]|$)/.exec(productUrl)?.[1]?.toUpperCase()

/** `variant` in a storefront product's address. */
export const variantOfUrl = (productUrl: string): string | undefined =>
  URL.parse(productUrl)?.searchParams.get("variant") ?? undefined

interface ProductNaming {
  readonly asin?: string
  readonly productUrl?: string
  readonly variantId?: string
}

/** What is wrong with the way a request names its product, if anything. */
export const namingFault = ({ asin, productUrl, variantId }: ProductNaming): Issue | undefined => {
  if (asin === undefined && productUrl === undefined) {
    return { path: "asin", message: "is required, or productUrl: name the product by one of them" }
  }
  if (productUrl === undefined) return undefined
  const named = asinOfUrl(productUrl)
  if (asin !== undefined && named !== asin.toUpperCase()) {
    return {
      path: "productUrl",
      message: "names another product than asin; send one of the two, or both of the same product"
    }
  }
  const ofUrl = variantOfUrl(productUrl)
  if (variantId !== undefined && ofUrl !== undefined && ofUrl !== variantId) {
    return { path: "variantId", message: "differs from the variant in productUrl" }
  }
  return named === undefined && variantId === undefined && ofUrl === undefined
    ? { path: "variantId", message: "is required for a storefront product, or ?variant= in productUrl" }
    : undefined
}

/** Body of `POST /x402/buy`: names a product by `asin` or by `productUrl`. */
export const BuyRequest = Schema.Struct({
  shippingAddress: ShippingAddress,
  email: Email,
  asin: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[A-Za-z0-9]{10}$/u, {
        message:
          "must be the 10-character product code of the general marketplace; name a storefront product by productUrl and variantId"
      })
    )
  ),
  productUrl: Schema.optionalKey(
    Text({ max: 2048 }).check(
      Schema.makeFilter((text: string) => isHttpUrl(text) || "must be an http(s) URL without credentials")
    )
  ),
  variantId: Schema.optionalKey(Text({ min: 1, max: 100 }))
})
  .check(
    Schema.makeFilter((request: ProductNaming) => {
      const fault = namingFault(request)
      return fault === undefined ? true : { path: [fault.path], issue: fault.message }
    })
  )
  .annotate({ identifier: "X402BuyRequest" })
export type BuyRequest = typeof BuyRequest.Type

export const BuyResponse = Schema.Struct({
  orderId: Schema.String,
  status: Schema.String,
  product: Schema.Struct({
    title: Schema.String,
    imageUrl: Schema.optionalKey(Schema.String),
    price: Schema.optionalKey(MoneyText)
  }),
  totalPrice: MoneyText
}).annotate({ identifier: "X402BuyResponse" })
export type BuyResponse = typeof BuyResponse.Type

/** States of an order: see `docs/architecture.md`, "Life of an order". */
export const OrderStatus = Schema.Literals([
  "awaiting_payment",
  "abandoned",
  "processing",
  "placing",
  "placed",
  "shipped",
  "delivered",
  "failed",
  "cancelled",
  "needs_operator",
  "refund_due",
  "refunded"
])
export type OrderStatus = typeof OrderStatus.Type

/** A product resolved from a buy request: what fulfilment is asked to quote. */
export type ProductReference =
  | { readonly source: "marketplace_a"; readonly asin: string; readonly productUrl: string | undefined }
  | { readonly source: "marketplace_b"; readonly productUrl: string; readonly variantId: string }

/** Which product a valid request names. */
export const productOf = (request: BuyRequest): ProductReference => {
  const asin =
    request.asin?.toUpperCase() ??
    (request.productUrl === undefined ? undefined : asinOfUrl(request.productUrl))
  if (asin !== undefined) return { source: "marketplace_a", asin, productUrl: request.productUrl }
  const productUrl = request.productUrl!
  return { source: "marketplace_b", productUrl, variantId: request.variantId ?? variantOfUrl(productUrl)! }
}

/** A parcel on its way. */
export interface Parcel {
  readonly carrier?: string
  readonly trackingNumber: string
  /** Https, where the buyer can follow it. */
  readonly trackingUrl?: string
}

/** How a placed order stands upstream. */
export interface FulfilmentStatus {
  readonly status: "placed" | "shipped" | "delivered" | "failed" | "cancelled"
  /** Upstream's word for why, where the order came to nothing: `insufficient_stock`. */
  readonly reason?: string
  readonly shipments: ReadonlyArray<Parcel>
}

/** What the product and its delivery cost, agreed until `expiresAtMillis`. */
export interface Offer {
  readonly product: { readonly title: string; readonly imageUrl?: string; readonly price?: Money }
  readonly subtotal: Money
  readonly tax: Money
  readonly shipping: Money
  /** What the caller pays. */
  readonly total: Money
  /** The upstream's name for this quote, given back when the order is placed. */
  readonly reference: string
  /** Milliseconds since the epoch. */
  readonly expiresAtMillis: number
}
