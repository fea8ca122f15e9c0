import { Effect } from "effect"
import { StoreError } from "../../domain/Errors.ts"
import type { Money } from "../../domain/Money.ts"
import type { Offer } from "../../shop/goods/Order.ts"

/** Turns a failed statement, or a row that can't be read, into a `StoreError` that names the method. */
export const storing = <A, E>(
  operation: string,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, StoreError> => {
  const failed = (cause: unknown) => Effect.fail(new StoreError({ operation, cause }))
  return effect.pipe(Effect.catch(failed), Effect.catchDefect(failed))
}

/** Whether a statement changed any row; it must return those it changed. */
export const tookEffect = <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<boolean, E> =>
  Effect.map(rows, ({ length }) => length > 0)

const maxAttempts = 100

/**
 * Repeats a statement until it is decided: one that met a row which was gone when it was read. Each round means that a
 * concurrent statement succeeded, so a hundred rounds mean a fault.
 */
export const untilDecided = <A, E>(
  attempt: Effect.Effect<A | undefined, E>,
  attempts = maxAttempts
): Effect.Effect<A, E | Error> =>
  Effect.flatMap(attempt, (outcome): Effect.Effect<A, E | Error> => {
    if (outcome !== undefined) return Effect.succeed(outcome)
    return attempts > 1
      ? untilDecided(attempt, attempts - 1)
      : Effect.fail(new Error(`undecided after ${maxAttempts} attempts`))
  })

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
