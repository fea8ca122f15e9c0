import { ProductUnavailable, type QuotedOffer } from "@till402/core"
import { fieldsOf, textOf, urlOf } from "../listing/fields.ts"
import { centsOf, textOfCents } from "../fulfilment/Cents.ts"
import type { IntentFailed, OfferNotReady } from "./Errors.ts"
import { type QuoteRefusal, refusalOf } from "./FailureReason.ts"
import { createdAtOf, type IntentDocument } from "./IntentDocument.ts"

/*
 * From an intent to an offer, or to why there is none. Pure.
 */

/** What an intent would cost, all of it. */
export interface Cost {
  readonly subtotalCents: bigint
  readonly taxCents: bigint
  readonly shippingCents: bigint
  readonly totalCents: bigint
}

export type OfferVerdict =
  | { readonly _tag: "Offered"; readonly cost: Cost }
  /** Not ready; a later look may find it so. */
  | { readonly _tag: "NotYet" }
  | { readonly _tag: "Refused"; readonly refusal: QuoteRefusal | IntentFailed | OfferNotReady }
  /** It was confirmed before: it buys nothing anew. */
  | { readonly _tag: "Confirmed" }
  /** Can't be sold; `detail` names the field at fault. */
  | { readonly _tag: "Unusable"; readonly detail: string }

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** Cents of a price in US dollars; an absent one is none. */
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
 * What an offer costs. The total is what Rye takes; whatever of it is neither tax nor shipping (surcharges,
 * less discounts) is the price of the goods.
 */
export const costOf = (offer: unknown): OfferVerdict => {
  const { shipping, tax, total } = fieldsOf(fieldsOf(offer)["cost"])
  const currency = currencyOf(total)
  if (currency !== undefined && currency !== "USD") {
    const message = "The product can't be bought in US dollars."
    return {
      _tag: "Refused",
      refusal: new ProductUnavailable({ message, reason: "unsupported_currency" })
    }
  }
  const totalCents = isAbsent(total) ? undefined : dollarCents(total)
  if (totalCents === undefined || totalCents === 0n) return unusable("offer.cost.total")
  const taxCents = dollarCents(tax)
  const shippingCents = dollarCents(shipping)
  if (taxCents === undefined) return unusable("offer.cost.tax")
  if (shippingCents === undefined) return unusable("offer.cost.shipping")
  const subtotalCents = totalCents - taxCents - shippingCents
  return subtotalCents < 0n
    ? unusable("offer.cost")
    : { _tag: "Offered", cost: { subtotalCents, taxCents, shippingCents, totalCents } }
}

/** What an intent offers while it is unconfirmed. States that are new are waited for. */
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

/** Left of that for the buyer's payment to arrive and the order to be placed. */
const placingMillis = 5 * 60_000

/** What is known of the product beside its price. */
export type ListedProduct = QuotedOffer["product"]

/** The product as Rye lists it, read kindly; `fallback` is its title where none is told. */
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

/** The quote of an offer. `nowMillis` stands for an intent's age where it is not told. */
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
