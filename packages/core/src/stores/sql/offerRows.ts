import type { Money } from "../../domain/Money.ts"
import type { Offer } from "../../shop/goods/Order.ts"

interface MoneyRow {
  readonly atomic: string
  readonly currency: string
}

/** An offer whose amounts have a form of their own. */
type OfferOf<Amount> = Omit<Offer, "subtotal" | "tax" | "shipping" | "fee" | "total" | "product"> & {
  readonly product: Omit<Offer["product"], "price"> & { readonly price?: Amount }
  readonly subtotal: Amount
  readonly tax: Amount
  readonly shipping: Amount
  readonly fee?: Amount
  readonly total: Amount
}

const withAmounts = <From, To>(
  { fee, product: { price, ...product }, ...offer }: OfferOf<From>,
  convert: (amount: From) => To
): OfferOf<To> => ({
  ...offer,
  product: { ...product, ...(price === undefined ? {} : { price: convert(price) }) },
  subtotal: convert(offer.subtotal),
  tax: convert(offer.tax),
  shipping: convert(offer.shipping),
  ...(fee === undefined ? {} : { fee: convert(fee) }),
  total: convert(offer.total)
})

/** An offer as JSON can hold it: JSON has no bigint. */
export const fromOffer = (offer: Offer): OfferOf<MoneyRow> =>
  withAmounts<Money, MoneyRow>(offer, ({ atomic, currency }) => ({ atomic: atomic.toString(), currency }))

/** Reads an offer from its JSON. */
export const toOffer = (row: OfferOf<MoneyRow>): Offer =>
  withAmounts<MoneyRow, Money>(row, ({ atomic, currency }) => ({ atomic: BigInt(atomic), currency }))
