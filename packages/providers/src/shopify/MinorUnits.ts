/*
 * The catalogue's amounts are in minor units (ISO 4217): 8900 is 89 dollars, 89 hundred yen and 8.9 dinars.
 */

/** Decimals of currencies that don't have two (ISO 4217, list one). */
const unusual: ReadonlyMap<string, number> = new Map([
  ...["BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI"].map(
    (code) => [code, 0] as const
  ),
  ...["VND", "VUV", "XAF", "XOF", "XPF"].map((code) => [code, 0] as const),
  ...["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"].map((code) => [code, 3] as const),
  ...["CLF", "UYW"].map((code) => [code, 4] as const)
])

/** Decimals of a currency; two if it is unknown. */
export const exponentOf = (currency: string): number => unusual.get(currency) ?? 2

/**
 * Converts a whole number of minor units, or its digits, to units of its currency; `null` for anything else.
 *
 * Sets the decimal point in the digits instead of dividing, to get the nearest number.
 *
 * @example
 * fromMinor(8900, "USD")   // 89
 * fromMinor(8900, "JPY")   // 8900
 * fromMinor(8905, "KWD")   // 8.905
 */
export const fromMinor = (amount: unknown, currency: string): number | null => {
  const digits = typeof amount === "number" && Number.isSafeInteger(amount) ? String(amount) : amount
  if (typeof digits !== "string" || !/^\d{1,15}$/.test(digits)) return null
  const exponent = exponentOf(currency)
  const padded = digits.padStart(exponent + 1, "0")
  const point = padded.length - exponent
  return Number(`${padded.slice(0, point)}.${padded.slice(point)}0`)
}

const largest = 999_999_999_999_999

/** Bounds in cents, never tighter than the bounds in dollars. The results are filtered exactly. */
export const centsAround = (bounds: {
  readonly priceMin?: number
  readonly priceMax?: number
}): { readonly min?: number; readonly max?: number } => ({
  ...(bounds.priceMin === undefined
    ? {}
    : { min: Math.min(Math.floor(withoutRoundingError(bounds.priceMin)), largest) }),
  ...(bounds.priceMax === undefined
    ? {}
    : { max: Math.min(Math.ceil(withoutRoundingError(bounds.priceMax)), largest) })
})

/** Cents without binary rounding errors: `19.99 * 100` is 1998.9999999999998. */
const withoutRoundingError = (dollars: number): number => {
  const cents = dollars * 100
  const whole = Math.round(cents)
  return Math.abs(cents - whole) <= 1e-9 * Math.max(1, cents) ? whole : cents
}
