import type { ShopRequest } from "@till402/core"
import { normalized, oneLine } from "./reply/PlainText.ts"
import { limitsIn, type StatedLimits } from "./reply/PriceLimits.ts"

/*
 * A shopper's request as data.
 */

/** The limits on the price: those of `priceRange`, and those that message and preferences state. */
export const limitsOf = ({ context, message }: ShopRequest): StatedLimits => {
  const { max, min } = context?.priceRange ?? {}
  const stated = [message, ...(context?.preferences ?? [])].map((text) =>
    limitsIn(normalized(oneLine(text, maxMessage)))
  )
  return {
    limits: [
      ...(min === undefined ? [] : [{ bound: "min" as const, value: min }]),
      ...(max === undefined ? [] : [{ bound: "max" as const, value: max }]),
      ...stated.flatMap(({ limits }) => limits)
    ],
    hasOtherCurrency: stated.some((each) => each.hasOtherCurrency)
  }
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
