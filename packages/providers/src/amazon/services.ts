import { Schema } from "effect"
import { countOf, fieldsOf, numberOf, textOf } from "../listing/Fields.ts"
import { amazonService } from "./AmazonService.ts"
import { shopOf } from "./Country.ts"

/*
 * The services that search Amazon, with their addresses, parameters, documents and fields. Filters that a service
 * doesn't have are applied to its results. None filters by brand.
 */

/** Number of results in a page of Canopy. */
const canopyPageSize = 20

const CanopyResults = Schema.Struct({
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

/** Canopy's REST search: https://docs.canopyapi.co. Prices are in units of the shop's currency. */
export const canopyService = amazonService({
  name: "canopy",
  baseUrl: "https://rest.canopyapi.co",
  path: "/api/amazon/search",
  headers: ({ apiKey }) => ({ "api-key": apiKey }),
  parameters: ({ page, priceMax, priceMin, term }, { country }) => {
    // The shop filters in its own currency. Bounds are widened to whole units; toProductPage filters exactly.
    const isInDollars = shopOf(country).currency === "USD"
    const minPrice = isInDollars && priceMin !== undefined ? Math.floor(priceMin) : 0
    return {
      searchTerm: term,
      domain: country,
      page,
      limit: canopyPageSize,
      ...(minPrice > 0 ? { minPrice } : {}),
      ...(isInDollars && priceMax !== undefined ? { maxPrice: Math.ceil(priceMax) } : {})
    }
  },
  // The official examples disagree on whether there is an outer `data`.
  document: Schema.Union([Schema.Struct({ data: CanopyResults }), CanopyResults]),
  found: (document, page) => {
    const { productResults } = ("data" in document ? document.data : document).amazonProductSearchResults
    const results = productResults?.results ?? []
    const { hasNextPage, totalPages: pages, totalResults: total } = fieldsOf(productResults?.pageInfo)
    const totalPages = numberOf(pages, 0, 1e9)
    const hasMore = typeof hasNextPage === "boolean" ? hasNextPage : totalPages !== null && page < totalPages
    // Without a count of results, the number is exact on the last page and an estimate before it.
    const seen = (page - 1) * canopyPageSize + results.length
    const last = results.length === 0 ? 0 : seen
    const counted = hasMore ? Math.max((totalPages ?? 0) * canopyPageSize, seen + 1) : last
    return { results, hasMore, totalResults: countOf(total) ?? counted, quotaSpent: 1 }
  },
  listing: ({ isPrime, mainImageUrl, price, ratingsTotal }) => ({
    price: fieldsOf(price)["value"],
    currency: fieldsOf(price)["currency"],
    reviewCount: ratingsTotal,
    imageUrl: mainImageUrl,
    isPrime
  })
})

/** Services that read Amazon's page during the call. */
const slow = { timeoutMillis: 10_000, deadlineMillis: 16_000 }

/** Rainforest: https://docs.trajectdata.com/rainforestapi. It has no filter for prices. */
export const rainforestService = amazonService({
  name: "rainforest",
  baseUrl: "https://api.rainforestapi.com",
  // Stored responses took 3 to 10 seconds. Its 500s are to be retried.
  settings: slow,
  path: "/request",
  parameters: ({ page, term }, { apiKey, country }) => ({
    api_key: apiKey,
    type: "search",
    amazon_domain: shopOf(country).host,
    search_term: term,
    page
  }),
  document: Schema.Struct({
    request_info: Schema.optionalKey(Schema.Unknown),
    // Missing if nothing was found.
    search_results: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Unknown))),
    pagination: Schema.optionalKey(Schema.Unknown)
  }),
  found: ({ pagination, request_info, search_results }, page) => {
    if (request_info === undefined && search_results === undefined) {
      return "neither request_info nor search_results"
    }
    const info = fieldsOf(request_info)
    if (info["success"] === false) return "request_info.success is false"
    const results = search_results ?? []
    // Fields of `pagination` are known from examples only, so each may be missing. Without a mention of a further page
    // there is none.
    const fields = fieldsOf(pagination)
    const totalPages = numberOf(fields["total_pages"], 0, 1e9)
    const nextPage = numberOf(fields["next_page"], 0, 1e9)
    const counted = Math.max(results.length, (totalPages ?? 0) * results.length)
    const quotaRemaining = numberOf(info["credits_remaining"], 0, 1e12)
    return {
      results,
      hasMore: totalPages === null ? nextPage !== null && nextPage > page : page < totalPages,
      totalResults: countOf(fields["total_results"]) ?? counted,
      quotaSpent: numberOf(info["credits_used_this_request"], 0, 1e6) ?? 1,
      ...(quotaRemaining === null ? {} : { quotaRemaining })
    }
  },
  listing: ({ availability, image, is_prime, price: only, prices, ratings_total }) => {
    const { currency, value } = fieldsOf(only ?? (Array.isArray(prices) ? prices[0] : undefined))
    const stock = fieldsOf(availability)["raw"]
    return { price: value, currency, reviewCount: ratings_total, imageUrl: image, isPrime: is_prime, stock }
  }
})

/** SerpApi: https://serpapi.com/amazon-search-api. Prices are in the shop's currency. It documents no filter for prices. */
export const serpApiService = amazonService({
  name: "serpapi",
  baseUrl: "https://serpapi.com",
  // Faster if the search is cached.
  settings: slow,
  path: "/search.json",
  parameters: ({ page, term }, { apiKey, country }) => ({
    engine: "amazon",
    amazon_domain: shopOf(country).host,
    k: term,
    page,
    api_key: apiKey
  }),
  document: Schema.Struct({
    // Missing if nothing was found.
    organic_results: Schema.optional(Schema.NullOr(Schema.Array(Schema.Unknown))),
    search_metadata: Schema.optional(Schema.Unknown),
    search_information: Schema.optional(Schema.Unknown),
    serpapi_pagination: Schema.optional(Schema.Unknown),
    error: Schema.optional(Schema.Unknown)
  }),
  found: ({ error, organic_results, search_information, search_metadata, serpapi_pagination }, page) => {
    // A search without results has an `error` too, with the status `Success`.
    const { status } = fieldsOf(search_metadata)
    if (status === "Error" || (search_metadata === undefined && organic_results === undefined)) {
      return error === undefined ? "neither search_metadata nor organic_results" : "error"
    }
    const results = organic_results ?? []
    const { next } = fieldsOf(serpapi_pagination)
    const hasMore = typeof next === "string" && next !== ""
    const seen = page * results.length
    return {
      results,
      hasMore,
      totalResults: countOf(fieldsOf(search_information)["total_results"]) ?? (hasMore ? seen + 1 : seen),
      // Cached searches are free, but no response says so: each counts.
      quotaSpent: 1,
      // https://serpapi.com/amazon-spell-check
      correction: textOf(fieldsOf(search_information)["spelling_fix"]) ?? undefined
    }
  },
  listing: ({ extracted_price, prime, reviews, stock, thumbnail }) => ({
    price: extracted_price,
    currency: null,
    reviewCount: reviews,
    imageUrl: thumbnail,
    isPrime: prime,
    stock
  })
})
