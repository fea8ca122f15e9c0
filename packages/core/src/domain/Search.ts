import { Effect, Schema } from "effect"
import { SearchProduct } from "./Product.ts"
import { IntegerInQuery, NumberInQuery, Text } from "./Text.ts"

const positive = Schema.isGreaterThan(0, { message: "must be greater than 0" })

/** Query of `GET /x402/search`. Prices are in US dollars. */
export const SearchQuery = Schema.Struct({
  /** Search words, 1 to 500 characters. */
  q: Text({ min: 1, max: 500 }),
  /** Lowest price, in US dollars; above zero. */
  priceMin: Schema.optionalKey(NumberInQuery.check(positive)),
  /** Highest price, in US dollars; not below `priceMin`. */
  priceMax: Schema.optionalKey(NumberInQuery.check(positive)),
  /** Brand name, up to 200 characters. */
  brand: Schema.optionalKey(Text({ max: 200 })),
  /** Number of the page, from 1; default 1. */
  page: IntegerInQuery.pipe(Schema.check(positive), Schema.withDecodingDefaultKey(Effect.succeed("1")))
}).check(
  Schema.makeFilter(({ priceMin, priceMax }: { readonly priceMin?: number; readonly priceMax?: number }) =>
    priceMin !== undefined && priceMax !== undefined && priceMin > priceMax
      ? { path: ["priceMin"], issue: "must not be greater than priceMax" }
      : true
  )
)
export type SearchQuery = typeof SearchQuery.Type

/** Response of `GET /x402/search`. */
export const SearchResponse = Schema.Struct({
  /** The page's products of all marketplaces, merged by rank. */
  products: Schema.Array(SearchProduct),
  /** Products that match, summed over the marketplaces; may be an estimate. */
  totalResults: Schema.Finite,
  /** Number of this page, from 1. */
  page: Schema.Finite,
  /** Whether a further page exists. */
  hasMore: Schema.Boolean
}).annotate({ identifier: "SearchResponse" })
export type SearchResponse = typeof SearchResponse.Type
