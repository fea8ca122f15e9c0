import { Effect, Schema } from "effect"
import { SearchProduct } from "./Product.ts"
import { IntegerInQuery, NumberInQuery, Text } from "./Text.ts"

const positive = Schema.isGreaterThan(0, { message: "must be greater than 0" })

/** Query of `GET /x402/search`. Prices are in US dollars. */
export const SearchQuery = Schema.Struct({
  q: Text({ min: 1, max: 500 }),
  priceMin: Schema.optionalKey(NumberInQuery.check(positive)),
  priceMax: Schema.optionalKey(NumberInQuery.check(positive)),
  brand: Schema.optionalKey(Text({ max: 200 })),
  page: IntegerInQuery.pipe(Schema.check(positive), Schema.withDecodingDefaultKey(Effect.succeed("1")))
}).check(
  Schema.makeFilter(({ priceMin, priceMax }: { readonly priceMin?: number; readonly priceMax?: number }) =>
    priceMin !== undefined && priceMax !== undefined && priceMin > priceMax
      ? { path: ["priceMin"], issue: "must not be greater than priceMax" }
      : true
  )
)
export type SearchQuery = typeof SearchQuery.Type

const plainWords = /^[\x20-\x7e]{1,500}$/
const plainPage = /^[1-9]\d{0,11}$/

/**
 * The schema, written out for what most callers send, ASCII words and a page: a quarter of the time. `undefined` for
 * every other query, right or wrong, which is then the schema's to read. A test holds the two together.
 */
export const readPlainSearch = (params: URLSearchParams): SearchQuery | undefined => {
  const q = params.get("q")
  const page = params.get("page")
  const known = (q === null ? 0 : 1) + (page === null ? 0 : 1)
  return q !== null && params.size === known && plainWords.test(q) && (page === null || plainPage.test(page))
    ? { page: page === null ? 1 : Number(page), q }
    : undefined
}

export const SearchResponse = Schema.Struct({
  products: Schema.Array(SearchProduct),
  totalResults: Schema.Finite,
  page: Schema.Finite,
  hasMore: Schema.Boolean
}).annotate({ identifier: "SearchResponse" })
export type SearchResponse = typeof SearchResponse.Type
