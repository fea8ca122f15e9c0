import { AddressNotServed, ProductNotFound, ProductUnavailable, type QuotedOffer } from "@till402/core"
import { Money } from "@till402/core/effect"
import { fieldsOf, textOf, urlOf } from "../listing/Fields.ts"
import type { OrderDocument } from "./OrderDocument.ts"

/*
 * Reads an order of Crossmint as a quote, or the reason why there is none. Pure functions.
 */

export type QuoteRefusal = ProductNotFound | ProductUnavailable | AddressNotServed

/** A quote that can be paid. */
export interface PayableQuote {
  readonly offer: QuotedOffer
  /** The amount to pay, in atomic units of USDC (millionths of a dollar). */
  readonly amountAtomic: bigint
  readonly expiresAtMillis: number
  /** The unsigned transaction that Crossmint prepared for the payment. */
  readonly prepared: string
}

export type QuoteVerdict =
  | { readonly _tag: "Quoted"; readonly quote: PayableQuote }
  | { readonly _tag: "Refused"; readonly refusal: QuoteRefusal }
  /** The payment is in flight or done. */
  | { readonly _tag: "Paid" }
  | { readonly _tag: "Expired" }
  /** Not ready yet. */
  | { readonly _tag: "NotYet" }
  /** Crossmint finds too little in the treasury's account, including native coin for fees. */
  | { readonly _tag: "TreasuryUnderfunded" }
  /** Can't be sold; `detail` names the field at fault. */
  | { readonly _tag: "Unusable"; readonly detail: string }

const unusable = (detail: string): QuoteVerdict => ({ _tag: "Unusable", detail })

/** Crossmint's code in snake case: `out-of-stock` → `out_of_stock`. */
export const wordOf = (code: unknown): string | undefined => {
  const word = typeof code === "string" ? code.toLowerCase().replace(/[\s-]+/g, "_") : ""
  return /^\w{1,60}$/.test(word) ? word : undefined
}

/** Why an item is unavailable. The list of codes is open: unknown ones count as unavailable. */
const refusalOf = (code: unknown): QuoteRefusal => {
  const reason = wordOf(code)
  if (reason !== undefined && /not_found|does_not_exist|invalid_(product|locator|item|url)/.test(reason)) {
    return new ProductNotFound({ message: "There is no such product." })
  }
  if (reason !== undefined && /address|ship|country|region|postal|deliver/.test(reason)) {
    return new AddressNotServed({ message: "The product is not delivered to this address." })
  }
  return new ProductUnavailable({
    message: "The product can't be bought now.",
    ...(reason === undefined ? {} : { reason })
  })
}

const paidStatuses: ReadonlySet<string> = new Set(["completed", "in-progress"])
const paidPhases: ReadonlySet<string> = new Set(["delivery", "completed"])

/** Whether Crossmint has seen the payment of an order, even if it was refunded since. */
export const isPaid = ({ payment, phase }: OrderDocument): boolean =>
  paidStatuses.has(payment.status) ||
  paidPhases.has(phase) ||
  (payment.refunded !== undefined && payment.refunded !== null)

/** The transaction that Crossmint credits an order to; `undefined` if it reports none. */
export const creditedTo = ({ payment }: OrderDocument): string | undefined => {
  const { txId } = fieldsOf(payment.received)
  return typeof txId === "string" && txId !== "" ? txId.toLowerCase() : undefined
}

/** Why there is no quote, by the statuses alone. */
const obstacleOf = (order: OrderDocument): QuoteVerdict | undefined => {
  const { lineItems, payment, quote } = order
  const unavailable = lineItems.find((item) => item.quote.status === "item-unavailable")
  if (unavailable !== undefined || quote.status === "all-line-items-unavailable") {
    const reason = (unavailable ?? lineItems[0])?.quote.unavailabilityReason
    return { _tag: "Refused", refusal: refusalOf(reason?.code) }
  }
  if (quote.status === "requires-physical-address") {
    const message = "Crossmint can't deliver to this address; see state and postal code."
    return { _tag: "Refused", refusal: new AddressNotServed({ message }) }
  }
  if (quote.status === "expired") return { _tag: "Expired" }
  if (payment.status.startsWith("crypto-payer-insufficient-funds")) return { _tag: "TreasuryUnderfunded" }
  // A person would have to act first, or the order lacks a field.
  if (/-kyc$|^requires-(email|recipient|crypto-payer-address)|^draft$/.test(payment.status)) {
    return unusable("payment.status")
  }
  return quote.status === "requires-recipient" ? unusable("quote.status") : undefined
}

/** The exact amount in USDC; `undefined` for another currency or an invalid amount. */
const usdcOf = (price: { readonly amount: string; readonly currency: string } | null | undefined) =>
  price?.currency.toLowerCase() === "usdc" ? Money.parseAtomic(price.amount) : undefined

/** A missing charge is zero. */
const chargeOf = (price: { readonly amount: string; readonly currency: string } | null | undefined) =>
  price === null || price === undefined ? 0n : usdcOf(price)

const sameAddress = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()

/**
 * Reads an order as a quote for one of one product.
 *
 * @param payer the treasury's account, for which the transaction must be prepared
 */
export const quoteOf = (order: OrderDocument, payer: string, paymentMethod: string): QuoteVerdict => {
  if (isPaid(order)) return { _tag: "Paid" }
  const obstacle = obstacleOf(order)
  if (obstacle !== undefined) return obstacle
  const { lineItems, payment, quote } = order
  const [line] = lineItems
  const prepared = payment.preparation?.serializedTransaction
  if (line === undefined || lineItems.length !== 1) return unusable("lineItems")
  if (line.quantity !== undefined && line.quantity !== null && line.quantity !== 1) {
    return unusable("lineItems.0.quantity")
  }
  if (quote.status !== "valid" || line.quote.status !== "valid" || typeof prepared !== "string") {
    return { _tag: "NotYet" }
  }
  const { chain, payerAddress } = payment.preparation ?? {}
  if (typeof payerAddress === "string" && !sameAddress(payerAddress, payer)) {
    return unusable("payment.preparation.payerAddress")
  }
  if (typeof chain === "string" && chain !== paymentMethod) return unusable("payment.preparation.chain")
  return priced(order, line, prepared)
}

const priced = (
  { orderId, quote }: OrderDocument,
  line: OrderDocument["lineItems"][number],
  prepared: string
): QuoteVerdict => {
  const total = usdcOf(quote.totalPrice)
  if (total === undefined || total === 0n) return unusable("quote.totalPrice")
  const { charges } = line.quote
  const tax = chargeOf(charges?.salesTax)
  const shipping = chargeOf(charges?.shipping)
  if (tax === undefined || shipping === undefined || tax + shipping > total) {
    return unusable("lineItems.0.quote.charges")
  }
  const expiresAtMillis = Date.parse(quote.expiresAt ?? "")
  if (Number.isNaN(expiresAtMillis)) return unusable("quote.expiresAt")
  const metadata = fieldsOf(line.metadata)
  const imageUrl = urlOf(metadata["imageUrl"])
  const unit = usdcOf(charges?.unit)
  const offer: QuotedOffer = {
    product: {
      title: textOf(metadata["name"]) ?? "Product",
      ...(imageUrl === null ? {} : { imageUrl }),
      ...(unit === undefined ? {} : { price: Money.formatAtomic(unit) })
    },
    // Everything except tax and shipping, including Crossmint's fees, is the price of the goods.
    subtotal: Money.formatAtomic(total - tax - shipping),
    tax: Money.formatAtomic(tax),
    shipping: Money.formatAtomic(shipping),
    total: Money.formatAtomic(total),
    currency: "USD",
    reference: orderId,
    expiresAt: new Date(expiresAtMillis)
  }
  return { _tag: "Quoted", quote: { offer, amountAtomic: total, expiresAtMillis, prepared } }
}
