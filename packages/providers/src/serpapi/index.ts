import type { ConfigurationError } from "@till402/core"
import { type Config, Context, Layer } from "effect"
import type { HttpClient } from "effect/http"
import type { AmazonMarketplace } from "../amazon/AmazonMarketplace.ts"
import type {
  AmazonLayerOptions,
  AmazonMarketplaceOptions,
  AmazonOptions,
  AmazonSettings
} from "../amazon/AmazonOptions.ts"
import { amazonProvider } from "../amazon/AmazonProvider.ts"
import { serpApiService } from "../amazon/services.ts"

/*
 * `marketplace_a` from SerpApi (https://serpapi.com/amazon-search-api): search of Amazon's shops.
 * Interchangeable with Canopy and Rainforest.
 */

export type * from "../amazon/publicTypes.ts"

const provider = amazonProvider(serpApiService)

/**
 * SerpApi as the general marketplace of a till.
 *
 * @throws ConfigurationError for an unusable key, address or setting
 * @example
 * import { serpApi } from "@till402/providers/serpapi"
 *
 * const marketplaces = { marketplace_a: serpApi({ apiKey: process.env["SERPAPI_API_KEY"]! }) }
 */
export const serpApi: (options: AmazonOptions) => AmazonMarketplaceOptions = provider.plain

/**
 * SerpApi as a marketplace of an Effect host.
 *
 * @example
 * import { Marketplaces } from "@till402/core/effect"
 * import { SerpApi } from "@till402/providers/serpapi"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const marketplaces = Marketplaces.layerOf(SerpApi).pipe(
 *   Layer.provide(SerpApi.layerConfig()),
 *   Layer.provide(FetchHttpClient.layer)
 * )
 */
export class SerpApi extends Context.Service<SerpApi, AmazonMarketplace>()("@till402/providers/SerpApi") {
  static readonly layer = (
    options: AmazonLayerOptions
  ): Layer.Layer<SerpApi, ConfigurationError, HttpClient.HttpClient> =>
    Layer.effect(SerpApi, provider.make(options))

  /**
   * Reads `SERPAPI_API_KEY` and, if set, `SERPAPI_COUNTRY`, `SERPAPI_BASE_URL` and the settings of
   * all providers, such as `SERPAPI_TIMEOUT_MILLIS`. They take precedence over `defaults`.
   */
  static readonly layerConfig = (
    defaults: AmazonSettings = {}
  ): Layer.Layer<SerpApi, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =>
    Layer.effect(SerpApi, provider.makeConfig(defaults))
}
