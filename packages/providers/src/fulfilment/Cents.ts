import { Money } from "@till402/core/effect"

/*
 * Amounts of upstreams that use whole cents. Never floats.
 */

/** The only currency that a till is paid in. */
export const soldCurrency = "USD"

const atomicPerCent = 10_000n

/** Whole cents as a bigint; `undefined` for any other value. */
export const centsOf = (amount: unknown): bigint | undefined =>
  typeof amount === "number" && Number.isSafeInteger(amount) && amount >= 0 ? BigInt(amount) : undefined

/** Decimal text of cents: `8499n` → `"84.99"`. */
export const textOfCents = (cents: bigint): string => Money.formatAtomic(cents * atomicPerCent)

/**
 * Decimal text in dollars, rounded down to whole cents: `"97.359"` → `9735n`. `undefined` for text that is
 * not an amount.
 */
export const centsWithin = (dollars: string): bigint | undefined => {
  const atomic = Money.parseAtomic(dollars)
  return atomic === undefined ? undefined : atomic / atomicPerCent
}
