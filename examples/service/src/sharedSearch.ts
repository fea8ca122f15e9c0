import { ConfigurationError, type MarketplaceOptions, type ProductPage } from "@till402/core"
import { type Environment, numberOf } from "./environment.ts"

/*
 * Pages of a marketplace that callers share for a short time: each pays for its search, the upstream is asked once.
 */

const maxPages = 500

const longestSeconds = 3_600

/**
 * How long pages are shared, in milliseconds; 0 for not at all.
 *
 * @throws ConfigurationError unless it is up to an hour
 */
export const sharedMillisOf = (environment: Environment): number => {
  const seconds = numberOf(environment, "SEARCH_SHARED_SECONDS") ?? 0
  if (!(seconds >= 0 && seconds <= longestSeconds)) {
    throw new ConfigurationError({ message: `SEARCH_SHARED_SECONDS must be 0 to ${longestSeconds}` })
  }
  return seconds * 1_000
}

/** A marketplace that returns the same page for the same query until it is `millis` old. */
export const sharedSearch = (
  marketplace: MarketplaceOptions<ProductPage>,
  millis: number
): MarketplaceOptions<ProductPage> => {
  /** Oldest first. */
  const pages = new Map<string, { readonly page: ProductPage; readonly until: number }>()
  return {
    ...marketplace,
    search: async (query, context) => {
      const { brand, page: number, priceMax, priceMin, q } = query
      const key = JSON.stringify([q, number, brand, priceMin, priceMax])
      const shared = pages.get(key)
      if (shared !== undefined && shared.until > Date.now()) return shared.page
      const page = await marketplace.search(query, context)
      pages.delete(key)
      pages.set(key, { page, until: Date.now() + millis })
      if (pages.size > maxPages) pages.delete(pages.keys().next().value!)
      return page
    }
  }
}
