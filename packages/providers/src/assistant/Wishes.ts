import type { ShopRequest } from "@till402/core"
import { isCommon } from "./reply/Languages.ts"
import { normalized, oneLine } from "./reply/PlainText.ts"
import { limitsIn, type StatedLimits } from "./reply/PriceLimits.ts"

/*
 * A shopper's request as data.
 */

/** The limits on the price: those of `priceRange`, and those that message and preferences state. */
export const limitsOf = ({
  context,
  message
}: ShopRequest): Pick<StatedLimits, "limits" | "hasOtherCurrency"> => {
  const { max, min } = context?.priceRange ?? {}
  const stated = [message, ...(context?.preferences ?? [])].map((text) =>
    limitsIn(normalized(oneLine(text, maxMessage)))
  )
  // A client that reads `5000 yen` as `max: 5000` means no dollars.
  const isOther = (value: number): boolean => stated.some(({ otherAmounts }) => otherAmounts.includes(value))
  return {
    limits: [
      ...(min === undefined || isOther(min) ? [] : [{ bound: "min" as const, value: min }]),
      ...(max === undefined || isOther(max) ? [] : [{ bound: "max" as const, value: max }]),
      ...stated.flatMap(({ limits }) => limits)
    ],
    hasOtherCurrency: stated.some((each) => each.hasOtherCurrency)
  }
}

/** Most words of the first search. */
const maxSearchWords = 12

/** Addresses, which are nobody's business. */
const addresses = /\S*[@/]\S*/gu

/** Words for a search: those of the shopper, without limits on the price and words that are in every text. */
export const searchWordsOf = (request: ShopRequest): string => {
  const { rest } = limitsIn(normalized(oneLine(wordsOf(request), maxMessage)).replace(addresses, " "))
  return (rest.match(/[\p{L}\p{M}\p{N}]+(?:['-][\p{L}\p{M}\p{N}]+)*/gu) ?? [])
    .filter((word) => !isCommon(word.toLowerCase()))
    .slice(0, maxSearchWords)
    .join(" ")
}

const maxMessage = 1_000
const maxPreference = 200

/** The shopper's words, as many as a model sees. */
export const wordsOf = ({ context, message }: ShopRequest): string =>
  [
    oneLine(message, maxMessage),
    ...(context?.preferences ?? []).map((each) => oneLine(each, maxPreference))
  ].join("\n")

/** Request and first products for a model: as JSON, so that their words aren't mistaken for instructions. */
export const describeRequest = (request: ShopRequest, found: object): string => {
  const { priceRange, preferences } = request.context ?? {}
  return JSON.stringify({
    message: oneLine(request.message, maxMessage),
    ...(priceRange === undefined ? {} : { priceRangeUsd: priceRange }),
    ...(preferences === undefined
      ? {}
      : { preferences: preferences.map((preference) => oneLine(preference, maxPreference)) }),
    found
  })
}
