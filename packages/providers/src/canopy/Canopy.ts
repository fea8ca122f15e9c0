import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { AmazonSource } from "../amazon/AmazonMarketplace.ts"
import { type AmazonCountry, shopOf } from "../amazon/Country.ts"
import {
  asinOf,
  countOf,
  currencyOf,
  fieldsOf,
  numberOf,
  priceOf,
  ratingOf,
  textOf,
  urlOf
} from "../listing/Fields.ts"
import type { Listing } from "../amazon/Listing.ts"
import { type UpstreamResponse, ResponseMalformed, readJson } from "../upstream/index.ts"

/*
 * Canopy's REST search of Amazon: https://docs.canopyapi.co. Prices are in units of the shop's currency.
 */

/** Results requested per page. */
const pageSize = 20

const Results = Schema.Struct({
  amazonProductSearchResults: Schema.Struct({
    // Missing, or null, if nothing is found.
    productResults: Schema.optional(
      Schema.NullOr(
        Schema.Struct({
          results: Schema.optional(Schema.NullOr(Schema.Array(Schema.Unknown))),
          pageInfo: Schema.optionalKey(Schema.Unknown)
        })
      )
    )
  })
})
/** The official examples disagree on whether there is an outer `data`. */
const readDocument = readJson(Schema.Union([Schema.Struct({ data: Results }), Results]))

const toListing = (result: unknown): Listing | undefined => {
  const fields = fieldsOf(result)
  const asin = asinOf(fields["asin"])
  const title = textOf(fields["title"])
  if (asin === null || title === null) return undefined
  const price = fieldsOf(fields["price"])
  return {
    asin,
    title,
    brand: textOf(fields["brand"]),
    price: priceOf(price["value"]),
    currency: currencyOf(price["currency"]),
    rating: ratingOf(fields["rating"]),
    reviewCount: countOf(fields["ratingsTotal"]),
    imageUrl: urlOf(fields["mainImageUrl"]),
    isPrime: fields["isPrime"] === true,
    isSponsored: fields["sponsored"] === true
  }
}

const read = Effect.fnUntraced(function* (response: UpstreamResponse, page: number) {
  const document = yield* readDocument(response)
  const found = ("data" in document ? document.data : document).amazonProductSearchResults.productResults
  const pageInfo = found?.pageInfo
  const results = found?.results ?? []
  const listings = results.flatMap((result) => toListing(result) ?? [])
  if (listings.length === 0 && results.length > 0) {
    const detail = "no result has both asin and title"
    return yield* new ResponseMalformed({ upstream: response.upstream, detail })
  }
  const { hasNextPage, totalPages: pages, totalResults: total } = fieldsOf(pageInfo)
  const totalPages = numberOf(pages, 0, 1e9)
  const hasMore = typeof hasNextPage === "boolean" ? hasNextPage : totalPages !== null && page < totalPages
  const reported = countOf(total)
  // Without a count of results, the number is exact on the last page and an estimate before it.
  const seen = (page - 1) * pageSize + results.length
  const counted = hasMore ? Math.max((totalPages ?? 0) * pageSize, seen + 1) : results.length === 0 ? 0 : seen
  return { listings, hasMore, totalResults: reported ?? counted, quotaSpent: 1 }
})

/** Requests and responses of Canopy. */
export const canopySource = (options: {
  readonly baseUrl: string
  readonly apiKey: string
  readonly country: AmazonCountry
}): AmazonSource => ({
  request: ({ page, priceMax, priceMin, term }) => {
    // The shop filters in its own currency. Bounds are widened to whole units; toProductPage filters exactly.
    const isInDollars = shopOf(options.country).currency === "USD"
    const minPrice = isInDollars && priceMin !== undefined ? Math.floor(priceMin) : 0
    return HttpClientRequest.get(`${options.baseUrl}/api/amazon/search`).pipe(
      HttpClientRequest.setUrlParams({
        searchTerm: term,
        domain: options.country,
        page,
        limit: pageSize,
        ...(minPrice > 0 ? { minPrice } : {}),
        ...(isInDollars && priceMax !== undefined ? { maxPrice: Math.ceil(priceMax) } : {})
      }),
      // No Content-Type: Canopy has responded with a 500 to requests that have one.
      HttpClientRequest.setHeaders({ accept: "application/json", "api-key": options.apiKey })
    )
  },
  read
})
