import type { Product, ShopResponse } from "@till402/core"
import type { Case } from "./cases.ts"

/*
 * Judges replies without the assistant's own checks.
 */

/** What a product is known for, in words: title and features. */
export type Describe = (product: Product) => string

/** The judgment of one response. */
export interface Judgment {
  readonly inBudget: boolean
  /** Whether products are returned exactly if the case expects some. */
  readonly asExpected: boolean
  readonly requirementsMet: number
  readonly requirements: number
  /** False statements about price, rating or availability, as they stand in the reply. */
  readonly falseStatements: ReadonlyArray<string>
}

const claims =
  /in stock|out of stock|sold out|(?:free|fast|express) (?:shipping|delivery)|ships? (?:today|tomorrow|free)|arrives|delivered by|only \d+ left|\d+ ?% off|half[- ]price|discount|on sale|was \$\d|coupon|save \$|auf lager|lieferbar|versandkostenfrei|en stock|livraison|descuento|envío|in offerta|在庫|送料|现货|包邮|в наличии/gi

/** The beginning of a title, by which a reply names the product. */
const nameOf = ({ title }: Product): string => title.split(/\s+/).slice(0, 3).join(" ").toLowerCase()

const numbersOf = (text: string): ReadonlyArray<number> =>
  Array.from(text.matchAll(/\d[\d,]*(?:\.\d+)?/g), ([digits]) => Number(digits.replaceAll(",", "")))

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))

const amount = /(?:\$|USD ?|€|£)\s?(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?)\s?(?:dollars?|USD|€|£|euros?)/gi
const rating = /(\d(?:\.\d+)?)\s?(?:of 5|out of 5|\/5|stars?|★)|rated (\d(?:\.\d+)?)/gi
const count = /([\d,]*\d) (?:reviews|ratings|Bewertungen|avis)/gi

/** Numbers of a kind in a text that are not among the true ones. */
const strangers = (
  text: string,
  pattern: RegExp,
  isTrue: (value: number) => boolean
): ReadonlyArray<string> =>
  Array.from(text.matchAll(pattern)).flatMap(([whole, first, second]) =>
    isTrue(Number((first ?? second ?? "").replaceAll(",", ""))) ? [] : [whole]
  )

const falseIn = (
  text: string,
  products: ReadonlyArray<Product>,
  own: ReadonlyArray<number>
): ReadonlyArray<string> => [
  ...strangers(text, amount, (value) => own.includes(value) || products.some(({ price }) => price === value)),
  ...strangers(text, rating, (value) => products.some((product) => product.rating === value)),
  ...strangers(text, count, (value) => products.some(({ reviewCount }) => reviewCount === value))
]

/** Amounts in a part that names one product must be that product's, or the shopper's own. */
const misattributed = (
  reply: string,
  products: ReadonlyArray<Product>,
  own: ReadonlyArray<number>
): ReadonlyArray<string> =>
  reply.split(/[;\n]|(?<=[.!?])\s/).flatMap((part) => {
    const named = products.filter((product) => part.toLowerCase().includes(nameOf(product)))
    return named.length > 0 ? falseIn(part, named, own) : []
  })

/** Statements of a reply that the products' data don't support. */
export const falseStatements = (
  { products, reply }: ShopResponse,
  { request }: Pick<Case, "request">
): ReadonlyArray<string> => {
  const words = [request.message, ...(request.context?.preferences ?? [])].join(" ")
  const range = request.context?.priceRange
  const own = [
    ...numbersOf(words),
    ...(range?.min === undefined ? [] : [range.min]),
    ...(range?.max === undefined ? [] : [range.max])
  ]
  // The shopper's words in quotation marks are no statement.
  const asked = wordsOf(words)
  const said = reply.replace(/“([^”]*)”/g, (quoted, text: string) =>
    [...wordsOf(text)].every((word) => asked.has(word)) ? "" : quoted
  )
  return [
    ...new Set([
      ...falseIn(said, products, own),
      ...misattributed(said, products, own),
      ...Array.from(said.matchAll(claims), ([claim]) => claim)
    ])
  ]
}

/** Judges one response by the expectations of its case. */
export const judge = (response: ShopResponse, expected: Case, describe: Describe): Judgment => {
  const { products } = response
  const { max, min } = expected.request.context?.priceRange ?? {}
  const lows = [min, expected.min].flatMap((value) => value ?? [])
  const highs = [max, expected.max].flatMap((value) => value ?? [])
  const [first] = products
  const text = first === undefined ? "" : describe(first)
  const isJudged = expected.products === "some" || (expected.products === "maybe" && first !== undefined)
  return {
    inBudget: products.every(
      ({ price }) =>
        (lows.length === 0 && highs.length === 0) ||
        (price !== null && lows.every((low) => price >= low) && highs.every((high) => price <= high))
    ),
    asExpected:
      expected.products === "maybe" ||
      (expected.products === "none" ? products.length === 0 : products.length > 0),
    requirements: isJudged ? expected.requirements.length : 0,
    requirementsMet: isJudged ? expected.requirements.filter((pattern) => pattern.test(text)).length : 0,
    falseStatements: falseStatements(response, expected)
  }
}
