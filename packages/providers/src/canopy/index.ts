import type { AmazonMarketplaceOptions, AmazonOptions } from "../amazon/Options.ts"
import { type AmazonProvider, amazonProvider } from "../amazon/Provider.ts"
import { canopySource } from "./Canopy.ts"

/*
 * `marketplace_a` by Canopy (https://canopyapi.co): search of Amazon's shops. Rainforest can take its
 * place.
 */

export { type AmazonMarketplace, AmazonSearch } from "../amazon/AmazonSearch.ts"
export type { AmazonCountry } from "../amazon/Country.ts"
export type { AmazonMarketplaceOptions, AmazonOptions, AmazonSettings } from "../amazon/Options.ts"
export type { AmazonLayerOptions } from "../amazon/Provider.ts"
export type { FetchOptions, RateLimit, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"

const provider = amazonProvider({
  name: "canopy",
  baseUrl: "https://rest.canopyapi.co",
  source: canopySource
})

/**
 * Canopy as the general marketplace of a till.
 *
 * @throws ConfigurationError for a key, address or setting that can't be used.
 * @example
 * import { canopy } from "@till402/providers/canopy"
 *
 * const marketplaces = { marketplace_a: canopy({ apiKey: process.env["CANOPY_API_KEY"]! }) }
 */
export const canopy: (options: AmazonOptions) => AmazonMarketplaceOptions = provider.plain

/** Canopy for an Effect host, over the `HttpClient` at hand. */
export const make: AmazonProvider["make"] = provider.make

/** Canopy as the search of Amazon. */
export const layer: AmazonProvider["layer"] = provider.layer

/**
 * Canopy configured by `CANOPY_API_KEY` and, optionally, `CANOPY_COUNTRY`, `CANOPY_BASE_URL`,
 * `CANOPY_TIMEOUT_MILLIS`, `CANOPY_DEADLINE_MILLIS`, `CANOPY_RETRIES` and `CANOPY_MAX_CONCURRENT`.
 */
export const layerConfig: AmazonProvider["layerConfig"] = provider.layerConfig
