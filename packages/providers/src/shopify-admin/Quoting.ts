import { AddressNotServed, ProductNotFound, ProductUnavailable, type QuotedOffer } from "@till402/core"
import { Money } from "@till402/core/effect"
import { Clock, Effect } from "effect"
import { isNamedBy, type OrderRequest, splitName } from "../fulfilment/Buyer.ts"
import { soldCurrency, textOfCents } from "../fulfilment/Cents.ts"
import type { OpenQuotes } from "../fulfilment/OpenQuotes.ts"
import { urlOf } from "../listing/Fields.ts"
import { ResponseMalformed } from "../upstream/index.ts"
import type { AdminApi } from "./AdminApi.ts"
import {
  type DraftDocument,
  getShippingRates,
  getVariant,
  type RateDocument,
  type VariantDocument
} from "./Documents.ts"
import { DraftRefused, type Drafts, quoteTag } from "./Drafts.ts"
import { type ShopifyAdminError, ShopRefused } from "./Errors.ts"
import type { ShopifyAdminConfig } from "./Options.ts"

/*
 * A quote is a draft order, for which the shop computes tax, discounts and shipping.
 */

const notFound = () => new ProductNotFound({ message: "There is no such product." })

const addressOf = ({ shippingAddress }: OrderRequest) => {
  const { city, country, line1, line2 = "", name, phone = "", postalCode, state } = shippingAddress
  return {
    ...splitName(name),
    address1: line1,
    ...(line2 === "" ? {} : { address2: line2 }),
    city,
    ...(/^[A-Z0-9]{1,3}$/.test(state) ? { provinceCode: state } : { province: state }),
    zip: postalCode,
    countryCode: country,
    ...(phone.trim() === "" ? {} : { phone: phone.trim() })
  }
}

const titleOf = ({ product, title }: VariantDocument): string =>
  product.hasOnlyDefaultVariant ? product.title : `${product.title} – ${title}`

const cheapest = (rates: ReadonlyArray<RateDocument>): RateDocument | undefined => {
  const priced = rates.flatMap((rate) => {
    const atomic = Money.parseAtomic(rate.price.amount)
    return atomic === undefined ? [] : [{ rate, atomic }]
  })
  return priced.toSorted((left, right) => (left.atomic < right.atomic ? -1 : 1))[0]?.rate
}

/** The error of a draft order that the shop refused, by the fields in which it found errors. */
const refusalOf = (error: ShopifyAdminError): ShopifyAdminError => {
  if (!(error instanceof DraftRefused)) return error
  if (error.fields.has("shippingAddress")) {
    return new AddressNotServed({ message: "The shop does not accept this address." })
  }
  return error.fields.has("lineItems")
    ? new ProductUnavailable({ message: "The product can't be bought.", reason: "not_purchasable" })
    : error
}

/** Finds the variant that a request names, if it is sold. */
const variantOf = Effect.fnUntraced(function* (
  { query }: AdminApi,
  { product }: OrderRequest,
  shopUrl: string
) {
  const digits = product.source === "marketplace_b" ? product.variantId : ""
  if (!/^\d{1,20}$/.test(digits)) return yield* notFound()
  const found = yield* query(getVariant, { id: `gid://shopify/ProductVariant/${digits}` })
  const { productVariant, shop } = found
  if (shop.currencyCode !== soldCurrency) return yield* new ShopRefused({ code: "currency" })
  const isPublished = typeof productVariant?.product.publishedAt === "string"
  if (!productVariant || !isPublished || productVariant.product.status !== "ACTIVE") {
    return yield* notFound()
  }
  if (!isNamedBy(product, [urlOf(productVariant.product.onlineStoreUrl), shopUrl])) return yield* notFound()
  if (!productVariant.availableForSale) {
    return yield* new ProductUnavailable({
      message: "The product is out of stock.",
      reason: "out_of_stock"
    })
  }
  return productVariant
})

export const makeQuoting = (
  { api, drafts, quotes }: { readonly api: AdminApi; readonly drafts: Drafts; readonly quotes: OpenQuotes },
  { quoteLifetimeMillis, shipping, shopUrl }: ShopifyAdminConfig
) => {
  const { query } = api

  /** The shipping of a draft; `undefined` for goods that aren't shipped. */
  const shippingLineOf = Effect.fnUntraced(function* (
    { inventoryItem }: VariantDocument,
    goods: { readonly lineItems: unknown; readonly shippingAddress: unknown }
  ) {
    if (!inventoryItem.requiresShipping) return undefined
    if (shipping !== undefined) {
      const amount = textOfCents(BigInt(shipping.cents))
      return { title: shipping.title, priceWithCurrency: { amount, currencyCode: soldCurrency } }
    }
    const { draftOrderAvailableDeliveryOptions } = yield* query(getShippingRates, { input: goods })
    const rate = cheapest(draftOrderAvailableDeliveryOptions.availableShippingRates)
    if (rate === undefined) {
      return yield* new AddressNotServed({ message: "The shop does not deliver to this address." })
    }
    const { handle, price, title } = rate
    return { shippingRateHandle: handle, title, priceWithCurrency: { ...price } }
  })

  const draftOf = Effect.fnUntraced(function* (request: OrderRequest, variant: VariantDocument) {
    const shippingAddress = addressOf(request)
    const lineItems = [{ variantId: variant.id, quantity: 1 }]
    const shippingLine = yield* shippingLineOf(variant, { lineItems, shippingAddress })
    const draft = yield* quotes.track(
      drafts.create({
        email: request.email,
        lineItems,
        shippingAddress,
        billingAddress: shippingAddress,
        ...(shippingLine === undefined ? {} : { shippingLine }),
        tags: [quoteTag]
      }),
      request.client
    )
    return yield* drafts.whenReady(draft)
  })

  return Effect.fnUntraced(function* (
    request: OrderRequest
  ): Effect.fn.Return<QuotedOffer, ShopifyAdminError> {
    const variant = yield* variantOf(api, request, shopUrl)
    const draft = yield* Effect.mapError(draftOf(request, variant), refusalOf)
    const now = yield* Clock.currentTimeMillis
    const amounts = yield* amountsOf(draft)
    const imageUrl = urlOf(variant.product.featuredMedia?.preview?.image?.url)
    return {
      product: {
        title: titleOf(variant),
        ...(imageUrl === null ? {} : { imageUrl }),
        ...(Money.parseAtomic(variant.price) === undefined ? {} : { price: variant.price })
      },
      ...amounts,
      currency: draft.totalPriceSet.shopMoney.currencyCode,
      reference: draft.id,
      expiresAt: new Date(now + quoteLifetimeMillis)
    }
  })
}

/** The amounts of a draft. Goods are what remains, because prices may include the tax. */
const amountsOf = Effect.fnUntraced(function* (draft: DraftDocument) {
  const [total, tax, shipping] = [draft.totalPriceSet, draft.totalTaxSet, draft.totalShippingPriceSet].map(
    ({ shopMoney }) => Money.parseAtomic(shopMoney.amount)
  )
  if (total === undefined || tax === undefined || shipping === undefined || total === 0n) {
    return yield* new ResponseMalformed({ upstream: "shopify-admin", detail: "totalPriceSet" })
  }
  const goods = total - tax - shipping
  if (goods < 0n) return yield* new ResponseMalformed({ upstream: "shopify-admin", detail: "totalPriceSet" })
  return {
    subtotal: Money.formatAtomic(goods),
    tax: Money.formatAtomic(tax),
    shipping: Money.formatAtomic(shipping),
    total: Money.formatAtomic(total)
  }
})
