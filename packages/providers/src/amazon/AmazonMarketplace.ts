import type { ProductPage, ProductQuery } from "@till402/core"
import type { Marketplace } from "@till402/core/effect"
import { Effect } from "effect"
import {
  toPortError,
  toPromise,
  type Upstream,
  type UpstreamFault,
  type UpstreamUsage
} from "../upstream/index.ts"
import { filledPages } from "../listing/FilledPages.ts"
import { termWith } from "../listing/Brand.ts"
import type { AmazonMarketplaceOptions } from "./AmazonOptions.ts"
import type { AmazonService } from "./AmazonService.ts"
import type { AmazonCountry } from "./Country.ts"
import { toProductPage } from "./Listing.ts"

/** Search of Amazon's shops: `marketplace_a` of a till, with its usage. */
export interface AmazonMarketplace extends Marketplace<ProductPage> {
  readonly usage: () => UpstreamUsage
}

/** A search that fails with the upstream's faults, before they become errors of a port. */
export interface AmazonClient {
  readonly search: (query: ProductQuery) => Effect.Effect<ProductPage, UpstreamFault>
  readonly usage: () => UpstreamUsage
  /** Time limit of a search, in milliseconds. */
  readonly deadlineMillis: number
}

/** Amazon shows some tens of pages. A page far beyond them is empty and not worth a paid call. */
const maxPage = 400

export const amazonClient = (
  upstream: Upstream,
  { read, request }: AmazonService,
  {
    deadlineMillis,
    ...access
  }: {
    readonly apiKey: string
    readonly baseUrl: string
    readonly country: AmazonCountry
    readonly deadlineMillis: number
  }
): AmazonClient => {
  const pageOf = Effect.fnUntraced(function* (query: ProductQuery, term: string) {
    const page = yield* read(yield* upstream.call(request({ ...query, term }, access)), query.page)
    yield* upstream.recordQuotaSpent(page.quotaSpent)
    if (page.quotaRemaining !== undefined) yield* upstream.recordQuotaRemaining(page.quotaRemaining)
    return page
  })

  const search = Effect.fnUntraced(function* (
    query: ProductQuery
  ): Effect.fn.Return<ProductPage, UpstreamFault> {
    if (query.page > maxPage) return { products: [], totalResults: 0, hasMore: false }
    const term = termWith(query.q, query.brand)
    const page = yield* pageOf(query, term)
    const { correction } = page
    // Nothing is found by the term as it was sent: the shop's own correction is what its visitors would be shown.
    const isMisspelt = page.listings.length === 0 && correction !== undefined && correction !== term
    return toProductPage(isMisspelt ? yield* pageOf(query, correction) : page, query, access.country)
  })
  return { search: filledPages(search, deadlineMillis), usage: upstream.usage, deadlineMillis }
}

/** The client as a marketplace of an Effect host. */
export const toMarketplace = ({ search, usage }: AmazonClient): AmazonMarketplace => ({
  source: "marketplace_a",
  search: (query) => Effect.mapError(search(query), (fault) => toPortError("marketplace", fault)),
  usage
})

/** The client as a marketplace of a plain host. */
export const toMarketplaceOptions = ({
  deadlineMillis,
  search,
  usage
}: AmazonClient): AmazonMarketplaceOptions => ({
  search: (query, context) => toPromise(search(query), context.signal),
  // A search that misses its own deadline counts for the circuit breaker; one that the till cancels doesn't.
  timeoutMillis: deadlineMillis + 500,
  usage
})
