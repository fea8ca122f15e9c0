import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { AmazonSource } from "../amazon/AmazonMarketplace.ts"
import { type AmazonCountry, shopOf } from "../amazon/Country.ts"
import type { Listing } from "../amazon/Listing.ts"
import { asinOf, countOf, fieldsOf, priceOf, ratingOf, textOf, urlOf } from "../listing/Fields.ts"
import { readJson, ResponseMalformed, type UpstreamResponse } from "../upstream/index.ts"

/*
 * SerpApi's search of Amazon: https://serpapi.com/amazon-search-api. Prices are in the shop's currency. It documents no
 * filters for price or brand, so the results are filtered here.
 */

const readDocument = readJson(
  Schema.Struct({
    // Missing if nothing was found.
    organic_results: Schema.optional(Schema.NullOr(Schema.Array(Schema.Unknown))),
    search_metadata: Schema.optional(Schema.Unknown),
    search_information: Schema.optional(Schema.Unknown),
    serpapi_pagination: Schema.optional(Schema.Unknown),
    error: Schema.optional(Schema.Unknown)
  })
)

const toListing = (result: unknown): Listing | undefined => {
  const fields = fieldsOf(result)
  const asin = asinOf(fields["asin"])
  const title = textOf(fields["title"])
  if (asin === null || title === null) return undefined
  return {
    asin,
    title,
    brand: textOf(fields["brand"]),
    price: priceOf(fields["extracted_price"]),
    currency: null,
    rating: ratingOf(fields["rating"]),
    reviewCount: countOf(fields["reviews"]),
    imageUrl: urlOf(fields["thumbnail"]),
    isPrime: fields["prime"] === true,
    isSponsored: fields["sponsored"] === true
  }
}

/** Cached searches are free; each response says nothing of it, so each counts. */
const quotaSpent = 1

const read = Effect.fnUntraced(function* (response: UpstreamResponse, page: number) {
  const malformed = (detail: string) => new ResponseMalformed({ upstream: response.upstream, detail })
  const document = yield* readDocument(response)
  const { error, organic_results, search_information, search_metadata, serpapi_pagination } = document
  // A search without results has an `error` too, with the status `Success`.
  const { status } = fieldsOf(search_metadata)
  if (status === "Error" || (search_metadata === undefined && organic_results === undefined)) {
    return yield* malformed(error === undefined ? "neither search_metadata nor organic_results" : "error")
  }
  const results = organic_results ?? []
  const listings = results.flatMap((result) => toListing(result) ?? [])
  if (listings.length === 0 && results.length > 0) {
    return yield* malformed("no result has both asin and title")
  }
  const { next } = fieldsOf(serpapi_pagination)
  const total = countOf(fieldsOf(search_information)["total_results"])
  const hasMore = typeof next === "string" && next !== ""
  const seen = (page - 1) * results.length + results.length
  return { listings, hasMore, totalResults: total ?? (hasMore ? seen + 1 : seen), quotaSpent }
})

/** Requests and responses of SerpApi. */
export const serpApiSource = (options: {
  readonly baseUrl: string
  readonly apiKey: string
  readonly country: AmazonCountry
}): AmazonSource => ({
  request: ({ page, term }) =>
    HttpClientRequest.get(`${options.baseUrl}/search.json`).pipe(
      HttpClientRequest.setUrlParams({
        engine: "amazon",
        amazon_domain: shopOf(options.country).host,
        k: term,
        page,
        api_key: options.apiKey
      }),
      HttpClientRequest.setHeader("accept", "application/json")
    ),
  read
})
