import type { MarketplaceOptions, ProductPage, ProductQuery } from "@till402/core"
import type { Marketplace } from "@till402/core/effect"
import { Context, Effect } from "effect"
import type { HttpClientRequest } from "effect/http"
import {
  type Answer,
  type AnswerMalformed,
  promised,
  toPortError,
  type Upstream,
  type UpstreamFault,
  type UpstreamUsage
} from "../upstream/index.ts"
import { termWith } from "../listing/Brand.ts"
import type { AmazonCountry } from "./Country.ts"
import { type ListingPage, toProductPage } from "./Listing.ts"

/** Search of Amazon's shops, whoever provides it; stands for `marketplace_a`. */
export interface AmazonMarketplace extends Marketplace {
  readonly usage: () => UpstreamUsage
}

/**
 * Search of Amazon's shops as a service: Canopy and Rainforest are layers of it, and either can take the
 * other's place.
 *
 * @example
 * import { Marketplaces } from "@till402/core/effect"
 * import { AmazonSearch } from "@till402/providers/canopy"
 * import { Effect, Layer } from "effect"
 *
 * const marketplaces = Layer.effect(Marketplaces, Effect.map(AmazonSearch, (amazon) => [amazon]))
 */
export class AmazonSearch extends Context.Service<AmazonSearch, AmazonMarketplace>()(
  "@till402/providers/AmazonSearch"
) {}

/** What one provider of the search knows: how to ask, how to read the answer. */
export interface AmazonSource {
  readonly request: (
    search: ProductQuery & {
      /** What to search for, the brand included. */
      readonly term: string
    }
  ) => HttpClientRequest.HttpClientRequest
  readonly read: (
    answer: Answer,
    page: number
  ) => Effect.Effect<
    ListingPage & { readonly quotaSpent: number; readonly quotaRemaining?: number },
    AnswerMalformed
  >
}

/** A search before its faults are sorted for an Effect host or a plain one. */
export interface AmazonClient {
  readonly search: (query: ProductQuery) => Effect.Effect<ProductPage, UpstreamFault>
  readonly usage: () => UpstreamUsage
}

/** Amazon shows some tens of pages at most: one far beyond is empty, and not worth a paid call. */
const maxPage = 400

export const amazonClient = (
  upstream: Upstream,
  { read, request }: AmazonSource,
  country: AmazonCountry
): AmazonClient => ({
  search: Effect.fnUntraced(function* (query: ProductQuery) {
    if (query.page > maxPage) return { products: [], totalResults: 0, hasMore: false }
    const answer = yield* upstream.call(request({ ...query, term: termWith(query.q, query.brand) }))
    const page = yield* read(answer, query.page)
    yield* upstream.quotaWasSpent(page.quotaSpent)
    if (page.quotaRemaining !== undefined) yield* upstream.quotaIsLeft(page.quotaRemaining)
    return toProductPage(page, query, country)
  }),
  usage: upstream.usage
})

/** The client as the port of an Effect host. */
export const toMarketplace = ({ search, usage }: AmazonClient): AmazonMarketplace => ({
  source: "marketplace_a",
  search: (query) => Effect.mapError(search(query), (fault) => toPortError("marketplace", fault)),
  usage
})

/** The client as the options of a plain host. */
export const toMarketplaceOptions = ({
  search,
  usage
}: AmazonClient): MarketplaceOptions & { readonly usage: () => UpstreamUsage } => ({
  search: (query, context) => promised(search(query), context.signal),
  usage
})
