import type { Money } from "../../domain/Money.ts"
import type { Offer } from "../../shop/goods/Order.ts"

interface MoneyRow {
  readonly atomic: string
  readonly currency: string
}
type OfferRow = Omit<Offer, "subtotal" | "tax" | "shipping" | "fee" | "total" | "product"> & {
  readonly product: Omit<Offer["product"], "price"> & { readonly price?: MoneyRow }
  readonly subtotal: MoneyRow
  readonly tax: MoneyRow
  readonly shipping: MoneyRow
  readonly fee?: MoneyRow
  readonly total: MoneyRow
}

const fromMoney = ({ atomic, currency }: Money): MoneyRow => ({ atomic: atomic.toString(), currency })
const toMoney = ({ atomic, currency }: MoneyRow): Money => ({ atomic: BigInt(atomic), currency })

/** An offer as JSON can hold it: JSON has no bigint. */
export const fromOffer = (offer: Offer): OfferRow => {
  const { fee, ...whole } = offer
  const { price, ...product } = offer.product
  return {
    ...whole,
    product: { ...product, ...(price === undefined ? {} : { price: fromMoney(price) }) },
    subtotal: fromMoney(offer.subtotal),
    tax: fromMoney(offer.tax),
    shipping: fromMoney(offer.shipping),
    ...(fee === undefined ? {} : { fee: fromMoney(fee) }),
    total: fromMoney(offer.total)
  }
}

/** Reads an offer from its JSON. */
export const toOffer = (row: OfferRow): Offer => {
  const { fee, ...whole } = row
  const { price, ...product } = row.product
  return {
    ...whole,
    product: { ...product, ...(price === undefined ? {} : { price: toMoney(price) }) },
    subtotal: toMoney(row.subtotal),
    tax: toMoney(row.tax),
    shipping: toMoney(row.shipping),
    ...(fee === undefined ? {} : { fee: toMoney(fee) }),
    total: toMoney(row.total)
  }
}
