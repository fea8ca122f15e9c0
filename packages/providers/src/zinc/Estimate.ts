import { ProductNotFound, ProductUnavailable, type QuotedOffer } from "@till402/core"
import { Money } from "@till402/core/effect"
import { Clock, Effect } from "effect"
import { fieldsOf, textOf, urlOf } from "../listing/Fields.ts"
import { addressFault, type OrderRequest } from "../fulfilment/Buyer.ts"
import { centsOf, textOfCents } from "../fulfilment/Cents.ts"
import { balanceKeptMillis, recentRead } from "../fulfilment/RecentRead.ts"
import { ListingNotReady, QuotesNotOffered, WalletUnderfunded, type ZincError } from "./Errors.ts"
import type { CostAllowance } from "./Options.ts"
import type { Orders } from "./Orders.ts"

/*
 * Estimated quotes. Zinc lists the price of Amazon's products, but reports tax and delivery only after a
 * purchase. The total is the listed price plus the host's allowance and Zinc's fee.
 */

export interface EstimateSettings {
  readonly allowance: CostAllowance | undefined
  readonly defaultPhone: string | undefined
  readonly quoteLifetimeMillis: number
}

/** Costs in cents. Tax is rounded up. The fee is part of the subtotal. */
export const estimate = (
  priceCents: bigint,
  { shippingCents, taxBasisPoints }: CostAllowance,
  feeCents: bigint
) => {
  const tax = Money.shareRoundedUp(priceCents, taxBasisPoints)
  const shipping = BigInt(shippingCents)
  const subtotal = priceCents + feeCents
  return { subtotal, tax, shipping, total: subtotal + tax + shipping }
}

/** The fee in the total of an estimate, by the estimate's reference. Other upstreams' quotes contain none. */
export const feeIn = (reference: string): bigint => {
  const [, fee] = /^estimate-\d{1,15}-(\d{1,15})$/.exec(reference) ?? []
  return fee === undefined ? 0n : BigInt(fee)
}

const pictureOf = (document: { readonly [name: string]: unknown }): string | null => {
  const { images, main_image } = document
  return urlOf(main_image) ?? urlOf(Array.isArray(images) ? images[0] : undefined)
}

const unavailable = (reason: string) =>
  new ProductUnavailable({ message: "The product can't be bought now.", reason })

export const makeEstimating = (orders: Orders, settings: EstimateSettings) => {
  const { allowance, defaultPhone, quoteLifetimeMillis } = settings

  const listing = Effect.fnUntraced(function* (asin: string) {
    const document = yield* Effect.mapError(orders.product(asin), (fault) =>
      fault._tag === "Rejected" && fault.status === 404
        ? new ProductNotFound({ message: "There is no such product." })
        : fault
    )
    const fields = fieldsOf(document)
    const { price, status } = fields
    if (status === "processing" || status === "pending") return yield* new ListingNotReady()
    if (status === "out_of_stock" || status === "unavailable") return yield* unavailable("out_of_stock")
    const cents = centsOf(price)
    // A product without a price has no seller.
    if (cents === undefined || cents === 0n) return yield* unavailable("no_price")
    return { title: textOf(fields["title"]) ?? `Amazon product ${asin}`, imageUrl: pictureOf(fields), cents }
  })

  const wallet = recentRead(orders.wallet, balanceKeptMillis)

  return Effect.fnUntraced(function* (request: OrderRequest): Effect.fn.Return<QuotedOffer, ZincError> {
    if (allowance === undefined) return yield* new QuotesNotOffered()
    const fault = addressFault(request.shippingAddress, {
      defaultPhone,
      upstream: "Zinc",
      isInternational: true
    })
    if (fault !== undefined) return yield* fault
    if (request.product.source !== "marketplace_a") return yield* unavailable("not_listed")
    const { feeCents, spendableCents } = yield* wallet
    const { cents, imageUrl, title } = yield* listing(request.product.asin)
    const { shipping, subtotal, tax, total } = estimate(cents, allowance, feeCents)
    if (spendableCents !== undefined && spendableCents < total) {
      return yield* new WalletUnderfunded({ code: "WalletTooLow" })
    }
    return {
      product: { title, ...(imageUrl === null ? {} : { imageUrl }), price: textOfCents(cents) },
      subtotal: textOfCents(subtotal),
      tax: textOfCents(tax),
      shipping: textOfCents(shipping),
      total: textOfCents(total),
      currency: "USD",
      // Zinc has no quotes; placing needs only the total and the fee in it.
      reference: `estimate-${total}-${feeCents}`,
      expiresAt: new Date((yield* Clock.currentTimeMillis) + quoteLifetimeMillis)
    }
  })
}
