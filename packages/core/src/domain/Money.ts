import { Schema } from "effect"

/**
 * An amount of money: an integer of atomic units, a millionth each (the 6 decimals of USDC), and the ISO 4217 code of
 * its currency. No amount that is charged or refunded is ever a float; prices in search results are display data.
 *
 * @example
 * const price = usd("19.99")     // { atomic: 19990000n, currency: "USD" }
 * format(price)                  // "19.99"
 */
export interface Money {
  /** Millionths of one unit of `currency`; never negative. */
  readonly atomic: bigint
  /** ISO 4217 code, upper case. */
  readonly currency: string
}

/** Decimals of an atomic amount. */
export const decimals = 6
const scale = 1_000_000n

/** `amount` (string, decimal) and `currency`: how the contract writes money in a body. */
export const MoneyText = Schema.Struct({
  amount: Schema.String.annotate({ description: "Decimal." }),
  currency: Schema.String.annotate({ description: "ISO 4217 code." })
})

/**
 * Parses decimal text exactly: `"0.01"` → `10000n`. What must be rounded, text with more than six decimals, is rounded
 * **up** to the atomic unit, so that the seller never loses. Returns `undefined` for anything but a non-negative
 * decimal of reasonable length.
 */
export const parseAtomic = (text: string): bigint | undefined => {
  const match = /^(\d{1,15})(?:\.(\d{1,30}))?$/.exec(text)
  if (match === null) return undefined
  const fraction = match[2] ?? ""
  const kept = BigInt(match[1]!) * scale + BigInt(fraction.slice(0, decimals).padEnd(decimals, "0"))
  return /[1-9]/.test(fraction.slice(decimals)) ? kept + 1n : kept
}

const wholeBasisPoints = 10_000n

/** Basis points of an amount (250 is 2.5 %), rounded **up** to its unit: `shareRoundedUp(10_001n, 1)` → `2n`. */
export const shareRoundedUp = (amount: bigint, basisPoints: number): bigint =>
  (amount * BigInt(basisPoints) + wholeBasisPoints - 1n) / wholeBasisPoints

/** Parses decimal text as US dollars; throws a `RangeError` if it isn't an amount. */
export const usd = (text: string): Money => {
  const atomic = parseAtomic(text)
  if (atomic === undefined) throw new RangeError(`not a decimal amount: ${JSON.stringify(text)}`)
  return { atomic, currency: "USD" }
}

/** Decimal text of an atomic amount with at least two decimals: `10000n` → `"0.01"`, `520000n` → `"0.52"`. */
export const formatAtomic = (atomic: bigint): string => {
  const fraction = (atomic % scale)
    .toString()
    .padStart(decimals, "0")
    .replace(/0{1,4}$/, "")
  return `${atomic / scale}.${fraction}`
}

export const format = (money: Money): string => formatAtomic(money.atomic)

/** Converts an amount to the contract's `{ amount, currency }`. */
export const toText = (money: Money): typeof MoneyText.Type => ({
  amount: format(money),
  currency: money.currency
})

/** Whole dollars as an atomic amount. */
export const fromDollars = (dollars: number): bigint => BigInt(dollars) * scale

/** An amount in decimal text, US dollars: `"19.99"`. */
export type DecimalText = string
