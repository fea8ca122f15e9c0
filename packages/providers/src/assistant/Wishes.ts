import type { ShopRequest } from "@till402/core"
import { withDigits } from "./reply/NumberWords.ts"
import { normalized, oneLine } from "./reply/PlainText.ts"
import { limitsIn, type PriceLimit } from "./reply/PriceLimits.ts"

/*
 * A shopper's request as data.
 */

/** The limits on the price: those of `priceRange`, in US dollars, and those that message and preferences state. */
export const limitsOf = ({ context, message }: ShopRequest): ReadonlyArray<PriceLimit> => {
  const { max, min } = context?.priceRange ?? {}
  const given = { strict: false, currencies: ["USD"] }
  return [
    ...(min === undefined ? [] : [{ ...given, bound: "min" as const, value: min }]),
    ...(max === undefined ? [] : [{ ...given, bound: "max" as const, value: max }]),
    ...[message, ...(context?.preferences ?? [])]
      .flatMap((text) => limitsIn(withDigits(oneLine(normalized(text), Infinity))))
      .map(({ bound, currencies, strict, value }) => ({ bound, strict, value, currencies }))
  ]
}

/** All words of the shopper. */
export const wordsOf = ({ context, message }: ShopRequest): string =>
  [message, ...(context?.preferences ?? [])].join("\n")

const maxMessage = 1_000
const maxPreference = 200

/** The request for a model: as JSON, so that its words aren't mistaken for instructions. */
export const describeRequest = (request: ShopRequest): string => {
  const { priceRange, preferences } = request.context ?? {}
  return JSON.stringify({
    message: oneLine(request.message, maxMessage),
    ...(priceRange === undefined ? {} : { priceRangeUsd: priceRange }),
    ...(preferences === undefined
      ? {}
      : { preferences: preferences.map((preference) => oneLine(preference, maxPreference)) })
  })
}
