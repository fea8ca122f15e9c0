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
 * Rainforest's search of Amazon: https://docs.trajectdata.com/rainforestapi. It has no
 * filters for price or brand, so the results are filtered here.
 */

const readDocument = readJson(
  Schema.Struct({
    request_info: Schema.optionalKey(Schema.Unknown),
    // Missing if nothing was found.
    search_results: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Unknown))),
    pagination: Schema.optionalKey(Schema.Unknown)
  })
)

const toListing = (result: unknown): Listing | undefined => {
  const fields = fieldsOf(result)
  const asin = asinOf(fields["asin"])
  const title = textOf(fields["title"])
  if (asin === null || title === null) return undefined
  const { price: only, prices } = fields
  const price = fieldsOf(only ?? (Array.isArray(prices) ? prices[0] : undefined))
  return {
    asin,
    title,
    brand: textOf(fields["brand"]),
    price: priceOf(price["value"]),
    currency: currencyOf(price["currency"]),
    rating: ratingOf(fields["rating"]),
    reviewCount: countOf(fields["ratings_total"]),
    imageUrl: urlOf(fields["image"]),
    isPrime: fields["is_prime"] === true,
    isSponsored: fields["sponsored"] === true
  }
}

/**
 * Reads `pagination`. Its fields are known from examples only, so each may be missing. Without a mention of
 * a further page there is none.
 */
const paging = (pagination: unknown, page: number, results: number) => {
  const fields = fieldsOf(pagination)
  const totalPages = numberOf(fields["total_pages"], 0, 1e9)
  const nextPage = numberOf(fields["next_page"], 0, 1e9)
  const hasMore = totalPages === null ? nextPage !== null && nextPage > page : page < totalPages
  return {
    hasMore,
    totalResults:
      countOf(fields["total_results"]) ??
      (totalPages === null ? results : Math.max(results, totalPages * results))
  }
}

const read = Effect.fnUntraced(function* (response: UpstreamResponse, page: number) {
  const malformed = (detail: string) => new ResponseMalformed({ upstream: response.upstream, detail })
  const { pagination, request_info, search_results } = yield* readDocument(response)
  if (request_info === undefined && search_results === undefined) {
    return yield* malformed("neither request_info nor search_results")
  }
  const info = fieldsOf(request_info)
  if (info["success"] === false) return yield* malformed("request_info.success is false")
  const results = search_results ?? []
  const listings = results.flatMap((result) => toListing(result) ?? [])
  if (listings.length === 0 && results.length > 0) {
    return yield* malformed("no result has both asin and title")
  }
  const quotaRemaining = numberOf(info["credits_remaining"], 0, 1e12)
  return {
    listings,
    ...paging(pagination, page, results.length),
    quotaSpent: numberOf(info["credits_used_this_request"], 0, 1e6) ?? 1,
    ...(quotaRemaining === null ? {} : { quotaRemaining })
  }
})

/** Requests and responses of Rainforest. */
export const rainforestSource = (options: {
  readonly baseUrl: string
  readonly apiKey: string
  readonly country: AmazonCountry
}): AmazonSource => ({
  request: ({ page, term }) =>
    HttpClientRequest.get(`${options.baseUrl}/request`).pipe(
      HttpClientRequest.setUrlParams({
        api_key: options.apiKey,
        type: "search",
        amazon_domain: shopOf(options.country).host,
        search_term: term,
        page
      }),
      HttpClientRequest.setHeader("accept", "application/json")
    ),
  read
})
