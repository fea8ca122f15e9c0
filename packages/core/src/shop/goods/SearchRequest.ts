import { Effect, Schema } from "effect"
import { SearchProduct } from "./Product.ts"
import { described, IntegerInQuery, notBlank, NumberInQuery, Text } from "../../domain/Text.ts"

const price = NumberInQuery.check(Schema.isGreaterThan(0, { message: "must be greater than 0" }))

/** Query of `GET /x402/search`. Prices are in US dollars. */
export const SearchQuery = Schema.Struct({
  /** Search words, 1 to 500 characters; not blank. */
  q: Text({ min: 1, max: 500 }).check(notBlank).pipe(described("Search words; not blank.")),
  /** Lowest price, in US dollars; above zero. */
  priceMin: Schema.optionalKey(price.pipe(described("Lowest price, in US dollars; not above priceMax."))),
  /** Highest price, in US dollars; not below `priceMin`. */
  priceMax: Schema.optionalKey(price.pipe(described("Highest price, in US dollars."))),
  /** Brand name, up to 200 characters. */
  brand: Schema.optionalKey(Text({ max: 200 }).pipe(described("Only products of this brand."))),
  /** Number of the page, from 1; default 1. */
  page: IntegerInQuery.check(Schema.isGreaterThan(0, { message: "must be greater than 0" })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("1")),
    described(
      "Number of the page. Each page is paid; the marketplaces decide how many products it has, and hasMore says whether another one follows.",
      { default: 1 }
    )
  )
}).check(
  Schema.makeFilter(({ priceMax, priceMin }: { readonly priceMin?: number; readonly priceMax?: number }) =>
    priceMin !== undefined && priceMax !== undefined && priceMin > priceMax
      ? { path: ["priceMin"], issue: "must not be greater than priceMax" }
      : true
  )
)
export type SearchQuery = typeof SearchQuery.Type

/** Response of `GET /x402/search`. */
export const SearchResponse = Schema.Struct({
  /** The page's products of all marketplaces, merged by rank. */
  products: Schema.Array(SearchProduct).annotate({ description: "The page's products of all marketplaces." }),
  /** Number of matching products, summed over the marketplaces; may be an estimate. */
  totalResults: Schema.Finite.annotate({
    description: "Matching products of all marketplaces; may be an estimate."
  }),
  /** Number of this page, from 1. */
  page: Schema.Finite.annotate({ description: "Number of this page, from 1." }),
  /** Whether there are more pages. */
  hasMore: Schema.Boolean.annotate({
    description: "Whether there are more pages. A page may have few products, or none, while more follow."
  })
}).annotate({ identifier: "SearchResponse" })
export type SearchResponse = typeof SearchResponse.Type
