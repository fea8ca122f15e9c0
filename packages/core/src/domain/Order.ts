import { Schema } from "effect"
import { addressFaults, ShippingAddress } from "./Address.ts"
import type { Issue } from "./ApiError.ts"
import { type Money, MoneyText } from "./Money.ts"
import { asinOfUrl, isProductUrl, ProductUrl, variantOfUrl, variantsOfUrl } from "./ProductUrl.ts"
import { Text } from "./Text.ts"

export { ShippingAddress }

/** The rule of `<input type=email>`: https://html.spec.whatwg.org/#valid-e-mail-address, bounded. */
export const Email = Schema.String.check(
  Schema.isMaxLength(254, { message: "must have at most 254 characters" }),
  Schema.isPattern(
    /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/u,
    { message: "must be an e-mail address" }
  )
)

interface ProductNaming {
  readonly asin?: string
  readonly productUrl?: string
  readonly variantId?: string
}

const VariantId = Text({ min: 1, max: 100 })
const isVariantId = Schema.is(VariantId)

const Asin = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9]{10}$/u, {
    message:
      "must be the product code of the general marketplace, 10 letters and digits; name a storefront product by productUrl and variantId, without asin"
  })
)
const isAsin = Schema.is(Asin)

const variantFaults = (productUrl: string, variantId: string | undefined): ReadonlyArray<Issue> => {
  const [ofUrl, ...others] = variantsOfUrl(productUrl)
  if (others.length > 0) return [{ path: "productUrl", message: "names several variants; keep one" }]
  if (ofUrl === undefined) {
    return variantId === undefined && asinOfUrl(productUrl) === undefined
      ? [{ path: "variantId", message: "is required for a storefront product, or ?variant= in productUrl" }]
      : []
  }
  if (variantId !== undefined && ofUrl !== variantId) {
    return [{ path: "variantId", message: "differs from the variant in productUrl" }]
  }
  return isVariantId(ofUrl) ? [] : [{ path: "productUrl", message: "holds a variant that can be none" }]
}

/** Faults in the way a request names its product, beyond the form of each field. */
export const namingFaults = ({ asin, productUrl, variantId }: ProductNaming): ReadonlyArray<Issue> => {
  if (asin === undefined && productUrl === undefined) {
    return [{ path: "asin", message: "is required, or productUrl: name the product by one of them" }]
  }
  if (productUrl === undefined || !isProductUrl(productUrl)) return []
  const disagree =
    asin !== undefined && isAsin(asin) && asinOfUrl(productUrl) !== asin.toUpperCase()
      ? [
          {
            path: "productUrl",
            message: "names another product than asin; send one of the two, or both of the same product"
          }
        ]
      : []
  return [...disagree, ...variantFaults(productUrl, variantId)]
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

/**
 * Faults between the fields of a buy request as it was sent, whatever else is wrong with it: of its address, and
 * of how it names its product. A schema looks for them only once each field by itself is right.
 */
export const buyFaults = (sent: Fields): ReadonlyArray<Issue> => {
  const { asin, productUrl, shippingAddress, variantId } = sent
  const text = <Name extends string>(name: Name, value: unknown) =>
    typeof value === "string" ? ({ [name]: value } as { readonly [key in Name]: string }) : {}
  // A name of another type is told by its field alone.
  const isNamed = [asin, productUrl].every((value) => value === undefined || typeof value === "string")
  return [
    ...(isFields(shippingAddress) ? addressFaults(shippingAddress) : []).map(({ message, path }) => ({
      path: `shippingAddress.${path}`,
      message
    })),
    ...(isNamed
      ? namingFaults({
          ...text("asin", asin),
          ...text("productUrl", productUrl),
          ...text("variantId", variantId)
        })
      : [])
  ]
}

/** Body of `POST /x402/buy`: names a product by `asin` or by `productUrl`. */
export const BuyRequest = Schema.Struct({
  shippingAddress: ShippingAddress,
  email: Email,
  asin: Schema.optionalKey(Asin).annotateKey({
    description: "Product code of the general marketplace. This or productUrl is required."
  }),
  productUrl: Schema.optionalKey(ProductUrl),
  variantId: Schema.optionalKey(VariantId).annotateKey({
    description: "Required for a storefront product, unless productUrl holds ?variant=."
  })
})
  .check(
    Schema.makeFilter((request: ProductNaming) =>
      namingFaults(request).map(({ message, path }) => ({ path: [path], issue: message }))
    )
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
  /** The host's own margin; absent: none. */
  readonly fee?: Money
  /** What the caller pays, the fee included. */
  readonly total: Money
  /** The upstream's name for this quote, given back when the order is placed. */
  readonly reference: string
  /** Milliseconds since the epoch. */
  readonly expiresAtMillis: number
}
