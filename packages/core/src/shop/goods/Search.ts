import { Schema, SchemaTransformation } from "effect"
import { SearchProduct } from "./Product.ts"
import { IntegerText, notBlank, NumberText, Text } from "../../domain/Text.ts"

const positive = Schema.isGreaterThan(0, { message: "must be greater than 0" })
const isPositive = Schema.makeFilter((text: string) => Number(text) > 0 || "must be greater than 0")
const price = Schema.optionalKey(NumberText.check(isPositive))

/** The query as it is sent. */
const SentQuery = Schema.Struct({
  q: Text({ min: 1, max: 500 }).check(notBlank),
  priceMin: price,
  priceMax: price,
  brand: Schema.optionalKey(Text({ max: 200 })),
  page: Schema.optionalKey(IntegerText.check(isPositive))
})

/**
 * Query of `GET /x402/search`. Prices are in US dollars.
 *
 * Numbers are made of the whole query, not of each field: a field with a transformation can't be decoded by generated
 * code, and a search would take 3 % longer.
 */
export const SearchQuery = SentQuery.pipe(
  Schema.decodeTo(
    Schema.Struct({
      /** Search words, 1 to 500 characters; not blank. */
      q: Schema.String,
      /** Lowest price, in US dollars; above zero. */
      priceMin: Schema.optionalKey(Schema.Finite.check(positive)),
      /** Highest price, in US dollars; not below `priceMin`. */
      priceMax: Schema.optionalKey(Schema.Finite.check(positive)),
      /** Brand name, up to 200 characters. */
      brand: Schema.optionalKey(Schema.String),
      /** Number of the page, from 1; default 1. */
      page: Schema.Int.check(positive)
    }).check(
      Schema.makeFilter(
        ({ priceMax, priceMin }: { readonly priceMin?: number; readonly priceMax?: number }) =>
          priceMin !== undefined && priceMax !== undefined && priceMin > priceMax
            ? { path: ["priceMin"], issue: "must not be greater than priceMax" }
            : true
      )
    ),
    SchemaTransformation.transform({
      decode: ({ brand, page = "1", priceMax, priceMin, q }) => ({
        q,
        page: Number(page),
        ...(brand === undefined ? {} : { brand }),
        ...(priceMin === undefined ? {} : { priceMin: Number(priceMin) }),
        ...(priceMax === undefined ? {} : { priceMax: Number(priceMax) })
      }),
      encode: ({ page, priceMax, priceMin, ...words }) => ({
        ...words,
        ...(priceMin === undefined ? {} : { priceMin: String(priceMin) }),
        ...(priceMax === undefined ? {} : { priceMax: String(priceMax) }),
        page: String(page)
      })
    })
  )
)
export type SearchQuery = typeof SearchQuery.Type

/** Response of `GET /x402/search`. */
export const SearchResponse = Schema.Struct({
  /** The page's products of all marketplaces, merged by rank. */
  products: Schema.Array(SearchProduct),
  /** Number of matching products, summed over the marketplaces; may be an estimate. */
  totalResults: Schema.Finite,
  /** Number of this page, from 1. */
  page: Schema.Finite,
  /** Whether there are more pages. */
  hasMore: Schema.Boolean
}).annotate({ identifier: "SearchResponse" })
export type SearchResponse = typeof SearchResponse.Type
