import { Effect, Layer } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { upstreamCodes, upstreamFailure } from "../ports/ApiFailures.ts"
import type { Source } from "../goods/Product.ts"
import { SearchQuery, SearchResponse } from "../goods/SearchRequest.ts"
import { Catalogue } from "../ports/Catalogue.ts"
import type { Work } from "../../toll/request/TollRequest.ts"
import { type Operation, operationLayer } from "../../operations/Operation.ts"
import { OperationSettings } from "../../operations/OperationSettings.ts"
import { commonErrors, fixedPrice, respond } from "../../operations/RouteParts.ts"
import { searchNames } from "./OtherNames.ts"
import { publishedExample } from "./publishedExample.ts"
import { ShopSettings } from "./ShopSettings.ts"

/** The contract of `search`: path, input, responses and documentation. */
export const endpoint = HttpApiEndpoint.get("search", "/x402/search", {
  query: SearchQuery,
  success: SearchResponse,
  error: commonErrors
}).annotateMerge(
  OpenApi.annotations({
    summary: "Search products",
    description:
      "Searches the products of the configured marketplaces with price and brand filters, page by page."
  })
)

const product = {
  asin: "B0ABCDEFGH",
  title: "Wireless headphones",
  price: 89.99,
  currency: "USD",
  rating: 4.5,
  reviewCount: 1250,
  imageUrl: "https://images.example/headphones.jpg",
  productUrl: "https://shop.example/dp/B0ABCDEFGH",
  source: "marketplace_a",
  isExpedited: true
} as const

export const example = {
  input: { q: "wireless headphones", priceMax: 150 },
  output: { products: [product], totalResults: 1, page: 1, hasMore: false }
}

/** Lists the marketplaces missing from a response. */
const withMissing = (work: Work, missing: ReadonlyArray<Source>): Work =>
  missing.length === 0
    ? work
    : { ...work, response: { ...work.response, headers: { "x-missing-marketplaces": missing.join(", ") } } }

const operation = operationLayer(
  Effect.gen(function* () {
    const catalogue = yield* Catalogue
    const { responseLifetimeMillis } = yield* OperationSettings
    const { prices, settlement } = yield* ShopSettings
    return {
      endpoint,
      documents: {
        errors: upstreamCodes("marketplace"),
        description:
          catalogue.sources.length === 1
            ? "Product search over one marketplace"
            : `Product search over ${catalogue.sources.length === 2 ? "two" : catalogue.sources.length} marketplaces`,
        mimeType: "application/json",
        example: yield* publishedExample(endpoint, example),
        headers: {
          "X-Missing-Marketplaces":
            "Marketplaces that failed or were too slow, separated by commas; their products are missing from the response. Absent if all responded."
        },
        queryInResource: true
      },
      input: { otherNames: searchNames },
      settlement: { beforeWork: settlement.search === "before-work" },
      response: { replayMillis: responseLifetimeMillis },
      price: fixedPrice(prices.search),
      work: (query) =>
        catalogue.search(query).pipe(
          Effect.map(({ missing, response }) => withMissing(respond(response), missing)),
          Effect.mapError(upstreamFailure)
        )
    } satisfies Operation<SearchQuery>
  })
)

/** `GET /x402/search`: product search over the marketplaces of `Marketplaces`. */
export const layer = operation.pipe(Layer.provide(Catalogue.layerPatient))
