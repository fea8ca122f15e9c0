import type { AmazonMarketplaceOptions, AmazonOptions } from "../amazon/Options.ts"
import { type AmazonProvider, amazonProvider } from "../amazon/Provider.ts"
import { rainforestSource } from "./Rainforest.ts"

/*
 * `marketplace_a` by Rainforest (https://trajectdata.com/ecommerce/rainforest-api): search of Amazon's
 * shops. Canopy can take its place.
 */

export { type AmazonMarketplace, AmazonSearch } from "../amazon/AmazonSearch.ts"
export type { AmazonCountry } from "../amazon/Country.ts"
export type { AmazonMarketplaceOptions, AmazonOptions, AmazonSettings } from "../amazon/Options.ts"
export type { AmazonLayerOptions } from "../amazon/Provider.ts"
export type { FetchOptions, RateLimit, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"

const provider = amazonProvider({
  name: "rainforest",
  baseUrl: "https://api.rainforestapi.com",
  // Rainforest reads Amazon's page while we wait: several seconds are usual, so one attempt gets them all.
  settings: { timeoutMillis: 7_500 },
  source: rainforestSource
})

/**
 * Rainforest as the general marketplace of a till.
 *
 * @throws ConfigurationError for a key, address or setting that can't be used.
 * @example
 * import { rainforest } from "@till402/providers/rainforest"
 *
 * const marketplaces = { marketplace_a: rainforest({ apiKey: process.env["RAINFOREST_API_KEY"]! }) }
 */
export const rainforest: (options: AmazonOptions) => AmazonMarketplaceOptions = provider.plain

/** Rainforest for an Effect host, over the `HttpClient` at hand. */
export const make: AmazonProvider["make"] = provider.make

/** Rainforest as the search of Amazon. */
export const layer: AmazonProvider["layer"] = provider.layer

/**
 * Rainforest configured by `RAINFOREST_API_KEY` and, optionally, `RAINFOREST_COUNTRY`,
 * `RAINFOREST_BASE_URL`, `RAINFOREST_TIMEOUT_MILLIS`, `RAINFOREST_DEADLINE_MILLIS`, `RAINFOREST_RETRIES` and
 * `RAINFOREST_MAX_CONCURRENT`.
 */
export const layerConfig: AmazonProvider["layerConfig"] = provider.layerConfig
