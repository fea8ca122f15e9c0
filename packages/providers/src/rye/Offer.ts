import { ProductUnavailable, type QuotedOffer } from "@till402/core"
import { fieldsOf, textOf, urlOf } from "../listing/Fields.ts"
import { centsOf, textOfCents } from "../fulfilment/Cents.ts"
import type { IntentFailed, OfferNotReady, QuoteRefusal } from "./Errors.ts"
import { refusalOf } from "./FailureReason.ts"
import { createdAtOf, type IntentDocument } from "./IntentDocument.ts"

/*
 * Reads an intent as an offer, or the reason why there is none. Pure functions.
 */

/** The costs of an intent. */
export interface Cost {
  readonly subtotalCents: bigint
  readonly taxCents: bigint
  readonly shippingCents: bigint
  /** What Rye deducts from the balance. */
  readonly totalCents: bigint
}

export type OfferVerdict =
  | { readonly _tag: "Offered"; readonly cost: Cost }
  /** Not ready yet. */
  | { readonly _tag: "NotYet" }
  | { readonly _tag: "Refused"; readonly refusal: QuoteRefusal | IntentFailed | OfferNotReady }
  /** Confirmed before, so it can't be bought again. */
  | { readonly _tag: "Confirmed" }
  /** Can't be sold; `detail` names the field at fault. */
  | { readonly _tag: "Unusable"; readonly detail: string }

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** Cents of a price in US dollars; a missing price is zero. */
const dollarCents = (price: unknown): bigint | undefined => {
  if (isAbsent(price)) return 0n
  const { amountSubunits, currencyCode } = fieldsOf(price)
  return typeof currencyCode === "string" && currencyCode.toUpperCase() === "USD"
    ? centsOf(amountSubunits)
    : undefined
}

const currencyOf = (price: unknown): string | undefined => {
  const { currencyCode } = fieldsOf(price)
  return typeof currencyCode === "string" && /^[A-Za-z]{3}$/.test(currencyCode)
    ? currencyCode.toUpperCase()
    : undefined
}

const unusable = (detail: string): OfferVerdict => ({ _tag: "Unusable", detail })

/**
 * The costs of an offer. From the balance, Rye deducts its total without the surcharge
 * (https://rye.com/docs/api-v2/payment-providers/drawdown). Everything else in it except tax and shipping, such as
 * discounts, is part of the price of the goods.
 */
export const costOf = (offer: unknown): OfferVerdict => {
  const { shipping, surcharge, tax, total } = fieldsOf(fieldsOf(offer)["cost"])
  const currency = currencyOf(total)
  if (currency !== undefined && currency !== "USD") {
    const message = "The product can't be bought in US dollars."
    return {
      _tag: "Refused",
      refusal: new ProductUnavailable({ message, reason: "unsupported_currency" })
    }
  }
  const grossCents = isAbsent(total) ? undefined : dollarCents(total)
  if (grossCents === undefined || grossCents === 0n) return unusable("offer.cost.total")
  const surchargeCents = dollarCents(surcharge)
  if (surchargeCents === undefined || surchargeCents >= grossCents) return unusable("offer.cost.surcharge")
  const totalCents = grossCents - surchargeCents
  const taxCents = dollarCents(tax)
  const shippingCents = dollarCents(shipping)
  if (taxCents === undefined) return unusable("offer.cost.tax")
  if (shippingCents === undefined) return unusable("offer.cost.shipping")
  const subtotalCents = totalCents - taxCents - shippingCents
  return subtotalCents < 0n
    ? unusable("offer.cost")
    : { _tag: "Offered", cost: { subtotalCents, taxCents, shippingCents, totalCents } }
}

/** The offer of an unconfirmed intent. Unknown states count as not ready yet. */
export const offerOf = (intent: IntentDocument): OfferVerdict => {
  switch (intent.state) {
    case "awaiting_confirmation":
      return costOf(intent.offer)
    case "failed":
      return { _tag: "Refused", refusal: refusalOf(intent.failureReason) }
    case "placing_order":
    case "completed":
      return { _tag: "Confirmed" }
    default:
      return { _tag: "NotYet" }
  }
}

/** How long an unconfirmed intent lives: https://rye.com/docs/api-v2. */
export const intentLifetimeMillis = 45 * 60_000

/** The part of it reserved for the buyer's payment and the placement. */
const placingMillis = 5 * 60_000

/** The product, as far as known. */
export type ListedProduct = QuotedOffer["product"]

/** Reads Rye's listing of a product. Unusable fields are left out; `fallback` replaces a missing title. */
export const listedProduct = (document: unknown, fallback: string): ListedProduct => {
  const { images, name, price } = fieldsOf(document)
  const pictures = (Array.isArray(images) ? images : []).slice(0, 50).map(fieldsOf)
  const picture = pictures.find(({ isFeatured }) => isFeatured === true) ?? pictures[0]
  const imageUrl = urlOf(picture?.["url"])
  const cents = isAbsent(price) ? undefined : dollarCents(price)
  return {
    title: textOf(name) ?? fallback,
    ...(imageUrl === null ? {} : { imageUrl }),
    ...(cents === undefined ? {} : { price: textOfCents(cents) })
  }
}

/** The quote of an offer. `nowMillis` is used if the intent's creation time is missing. */
export const quoteOf = (
  intent: IntentDocument,
  cost: Cost,
  product: ListedProduct,
  nowMillis: number
): QuotedOffer => ({
  product,
  subtotal: textOfCents(cost.subtotalCents),
  tax: textOfCents(cost.taxCents),
  shipping: textOfCents(cost.shippingCents),
  total: textOfCents(cost.totalCents),
  currency: "USD",
  reference: intent.id,
  expiresAt: new Date(
    Math.min(createdAtOf(intent) ?? nowMillis, nowMillis) + intentLifetimeMillis - placingMillis
  )
})
