import { Schema } from "effect"
import { addressFaults, ShippingAddress } from "./Address.ts"
import type { Issue } from "../../domain/ApiError.ts"
import { type Money, MoneyText } from "../../domain/Money.ts"
import {
  asinOfUrl,
  type GeneralMarketplace,
  isPageOf,
  isProductUrl,
  nameOf,
  ProductUrl,
  variantOfUrl,
  variantsOfUrl
} from "./ProductUrl.ts"
import { described, Text } from "../../domain/Text.ts"

export { ShippingAddress }

/** The rule of `<input type=email>`: https://html.spec.whatwg.org/#valid-e-mail-address, bounded. */
export const Email = Schema.String.check(
  Schema.isMaxLength(254, { message: "must have at most 254 characters" }),
  Schema.isPattern(
    /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/u,
    { message: "must be an e-mail address" }
  )
).annotate({ format: "email" })

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

/**
 * The product code of the general marketplace that a page names. Where its hosts aren't known, any host's page may be one
 * of its pages, unless a variant is named: that means a storefront.
 */
const codeOfPage = (
  productUrl: string,
  variantId: string | undefined,
  marketplace: GeneralMarketplace | undefined
): string | undefined => {
  const isGeneral =
    marketplace === undefined
      ? variantId === undefined && variantOfUrl(productUrl) === undefined
      : isPageOf(productUrl, marketplace)
  return isGeneral ? asinOfUrl(productUrl) : undefined
}

/** Faults of a page of the general marketplace. */
const generalPageFaults = (
  { asin, productUrl, variantId }: ProductNaming & { readonly productUrl: string },
  marketplace: GeneralMarketplace
): ReadonlyArray<Issue> => {
  if (asinOfUrl(productUrl) === undefined)
    return [
      {
        path: "productUrl",
        message: `is no product's page: at ${nameOf(marketplace)} it has /dp/ and a code`
      }
    ]
  return asin === undefined && variantId !== undefined
    ? [
        {
          path: "variantId",
          message: `names a storefront product, and productUrl is a page of ${nameOf(marketplace)}`
        }
      ]
    : []
}

/** A page that is neither of the general marketplace nor of a storefront's variant. */
const unnamedVariant = (productUrl: string, marketplace: GeneralMarketplace | undefined): Issue =>
  marketplace === undefined || asinOfUrl(productUrl) === undefined
    ? { path: "variantId", message: "is required for a storefront product, or ?variant= in productUrl" }
    : {
        path: "productUrl",
        message: `is not a page of ${nameOf(marketplace)}, and names no variant of a storefront product`
      }

const variantFaults = (
  { asin, productUrl, variantId }: ProductNaming & { readonly productUrl: string },
  marketplace: GeneralMarketplace | undefined
): ReadonlyArray<Issue> => {
  const [ofUrl, ...others] = variantsOfUrl(productUrl)
  if (others.length > 0) return [{ path: "productUrl", message: "names several variants; keep one" }]
  if (ofUrl === undefined) {
    const isNamed =
      variantId !== undefined ||
      codeOfPage(productUrl, variantId, marketplace) !== undefined ||
      (asin !== undefined && asinOfUrl(productUrl) !== undefined)
    return isNamed ? [] : [unnamedVariant(productUrl, marketplace)]
  }
  if (variantId !== undefined && ofUrl !== variantId) {
    return [{ path: "variantId", message: "differs from the variant in productUrl" }]
  }
  return isVariantId(ofUrl) ? [] : [{ path: "productUrl", message: "contains a malformed variant" }]
}

/** Faults in how a request names its product, beyond the format of each field. */
export const namingFaults = (
  naming: ProductNaming,
  marketplace?: GeneralMarketplace
): ReadonlyArray<Issue> => {
  const { asin, productUrl } = naming
  if (asin === undefined && productUrl === undefined) {
    return [{ path: "asin", message: "is required, or productUrl: name the product by one of them" }]
  }
  if (productUrl === undefined || !isProductUrl(productUrl)) return []
  const isGeneral = marketplace !== undefined && isPageOf(productUrl, marketplace)
  const isForeign = marketplace !== undefined && !isGeneral
  const disagree =
    asin !== undefined && isAsin(asin) && (isForeign || asinOfUrl(productUrl) !== asin.toUpperCase())
      ? [
          {
            path: "productUrl",
            message: "names another product than asin; send one of the two, or both of the same product"
          }
        ]
      : []
  const page = { ...naming, productUrl }
  return [
    ...disagree,
    ...(isGeneral ? generalPageFaults(page, marketplace) : variantFaults(page, marketplace))
  ]
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

/**
 * Faults between the fields of a buy request: of its address, and of how it names its product. A schema checks these
 * only once each field is valid; this checks them in any case, so that one response lists every fault.
 */
export const buyFaults = (sent: Fields, marketplace?: GeneralMarketplace): ReadonlyArray<Issue> => {
  const { asin, productUrl, shippingAddress, variantId } = sent
  const text = <Name extends string>(name: Name, value: unknown) =>
    typeof value === "string" ? ({ [name]: value } as { readonly [key in Name]: string }) : {}
  // A name of another type is reported by its own field.
  const isNamed = [asin, productUrl].every((value) => value === undefined || typeof value === "string")
  return [
    ...(isFields(shippingAddress) ? addressFaults(shippingAddress) : []).map(({ message, path }) => ({
      path: `shippingAddress.${path}`,
      message
    })),
    ...(isNamed
      ? namingFaults(
          { ...text("asin", asin), ...text("productUrl", productUrl), ...text("variantId", variantId) },
          marketplace
        )
      : [])
  ]
}

const named = (field: string) => ({
  type: "object",
  properties: { [field]: { type: "string" } },
  required: [field]
})

/**
 * How JSON Schema says that a product is named by `asin` or by `productUrl`. Within `allOf`: generators take a bare `anyOf`
 * for the whole type.
 */
const namedByEither = { allOf: [{ anyOf: [named("asin"), named("productUrl")] }] }

/** Body of `POST /x402/buy`: names a product by `asin` or by `productUrl`. */
export const BuyRequest = Schema.Struct({
  /** Where the product is delivered. */
  shippingAddress: ShippingAddress,
  /** The buyer's address, for confirmation and shipping mails. */
  email: Email.pipe(described("The buyer's address, for order confirmation and tracking.")),
  /** Product code of the general marketplace. This or `productUrl` is required. */
  asin: Schema.optionalKey(
    Asin.pipe(described("Product code of the general marketplace. This or productUrl is required."))
  ),
  /** Https address of the product's page. This or `asin` is required. */
  productUrl: Schema.optionalKey(
    ProductUrl.pipe(
      described(
        "Https address of the product's page, on a public host and without credentials: a page of the general marketplace, or one of a storefront, which requires variantId. This or asin is required."
      )
    )
  ),
  /** Variant of a storefront product, unless `productUrl` holds `?variant=`. */
  variantId: Schema.optionalKey(
    VariantId.pipe(
      described("Variant of a storefront product, required for it unless productUrl holds ?variant=.")
    )
  )
})
  .check(
    Schema.makeFilter((request: ProductNaming) =>
      namingFaults(request).map(({ message, path }) => ({ path: [path], issue: message }))
    )
  )
  .annotate({ identifier: "X402BuyRequest" })
  .pipe(Schema.annotateEncoded(namedByEither))
export type BuyRequest = typeof BuyRequest.Type

/** Response of `POST /x402/buy`. */
export const BuyResponse = Schema.Struct({
  /** UUID of the order. */
  orderId: Schema.String.annotate({ format: "uuid", description: "Identifier of the order." }),
  /** Status of the order: `processing`. */
  status: Schema.String.annotate({ description: "Order status after payment: processing." }),
  /** What was bought. */
  product: Schema.Struct({
    /** Name of the product. */
    title: Schema.String.annotate({ description: "Name of the product." }),
    /** Address of a picture. */
    imageUrl: Schema.optionalKey(
      Schema.String.annotate({ format: "uri", description: "Address of a picture." })
    ),
    /** The product's own price, before tax and shipping. */
    price: Schema.optionalKey(
      MoneyText.annotate({ description: "The product's own price, before tax and shipping." })
    )
  }).annotate({ description: "What was bought." }),
  /** The paid amount, including tax, shipping and fee. */
  totalPrice: MoneyText.annotate({ description: "The paid amount, tax and shipping included." })
}).annotate({ identifier: "X402BuyResponse" })
export type BuyResponse = typeof BuyResponse.Type

/** States of an order: see `docs/explain/orders.md`. */
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

/** A product, resolved from a buy request. */
export type ProductReference =
  | { readonly source: "marketplace_a"; readonly asin: string; readonly productUrl: string | undefined }
  | { readonly source: "marketplace_b"; readonly productUrl: string; readonly variantId: string }

/** The product that a valid request names. `variantId` without `asin` means a storefront's. */
export const productOf = (
  { asin, productUrl, variantId }: Pick<BuyRequest, "asin" | "productUrl" | "variantId">,
  marketplace?: GeneralMarketplace
): ProductReference => {
  const code =
    asin?.toUpperCase() ??
    (productUrl === undefined ? undefined : codeOfPage(productUrl, variantId, marketplace))
  if (code !== undefined) return { source: "marketplace_a", asin: code, productUrl }
  return {
    source: "marketplace_b",
    productUrl: productUrl!,
    variantId: variantId ?? variantOfUrl(productUrl!)!
  }
}

/** When a parcel is expected: ISO 8601, dates or times. */
export interface ExpectedDelivery {
  readonly from?: string
  readonly to?: string
}

/** A parcel on its way. */
export interface Parcel {
  /** Name of the carrier. */
  readonly carrier?: string
  /** Number by which the carrier tracks it. */
  readonly trackingNumber: string
  /** Https URL where the buyer can track it. */
  readonly trackingUrl?: string
  /** When the upstream expects it to arrive. */
  readonly expectedDelivery?: ExpectedDelivery
}

/** States of a placed order upstream. */
export const FulfilmentState = Schema.Literals(["placed", "shipped", "delivered", "failed", "cancelled"])
export type FulfilmentState = typeof FulfilmentState.Type

/** The status of a placed order upstream. */
export interface FulfilmentStatus {
  readonly status: FulfilmentState
  /** Upstream's reason if the order failed or was canceled: `insufficient_stock`. */
  readonly reason?: string
  /** Parcels so far. */
  readonly shipments: ReadonlyArray<Parcel>
}

/** The price of a product with its delivery, valid until `expiresAtMillis`. */
export interface Offer {
  /** What is sold. */
  readonly product: { readonly title: string; readonly imageUrl?: string; readonly price?: Money }
  /** Price of the product, before tax and shipping. */
  readonly subtotal: Money
  /** Tax on product and shipping. */
  readonly tax: Money
  /** Price of shipping. */
  readonly shipping: Money
  /** The host's own margin, if any. */
  readonly fee?: Money
  /** What the caller pays, the fee included. */
  readonly total: Money
  /** Upstream's name for this quote; it is sent with the order. */
  readonly reference: string
  /** When upstream stops accepting orders for this quote; milliseconds since the epoch. */
  readonly expiresAtMillis: number
}
