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
import { rainforestService } from "../amazon/services.ts"

/*
 * `marketplace_a` from Rainforest (https://trajectdata.com/ecommerce/rainforest-api): search of Amazon's shops.
 * Interchangeable with Canopy and SerpApi.
 */

export type * from "../amazon/publicTypes.ts"

const provider = amazonProvider(rainforestService)

/**
 * Rainforest as the general marketplace of a till.
 *
 * @throws ConfigurationError for an unusable key, address or setting
 * @example
 * import { rainforest } from "@till402/providers/rainforest"
 *
 * const marketplaces = { marketplace_a: rainforest({ apiKey: process.env["RAINFOREST_API_KEY"]! }) }
 */
export const rainforest: (options: AmazonOptions) => AmazonMarketplaceOptions = provider.plain

/**
 * Rainforest as a marketplace of an Effect host.
 *
 * @example
 * import { Marketplaces } from "@till402/core/effect"
 * import { Rainforest } from "@till402/providers/rainforest"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const marketplaces = Marketplaces.layerOf(Rainforest).pipe(
 *   Layer.provide(Rainforest.layerConfig()),
 *   Layer.provide(FetchHttpClient.layer)
 * )
 */
export class Rainforest extends Context.Service<Rainforest, AmazonMarketplace>()(
  "@till402/providers/Rainforest"
) {
  static readonly layer = (
    options: AmazonLayerOptions
  ): Layer.Layer<Rainforest, ConfigurationError, HttpClient.HttpClient> =>
    Layer.effect(Rainforest, provider.make(options))

  /**
   * Reads `RAINFOREST_API_KEY` and, if set, `RAINFOREST_COUNTRY`, `RAINFOREST_BASE_URL` and the settings of
   * all providers, such as `RAINFOREST_TIMEOUT_MILLIS`. They take precedence over `defaults`.
   */
  static readonly layerConfig = (
    defaults: AmazonSettings = {}
  ): Layer.Layer<Rainforest, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =>
    Layer.effect(Rainforest, provider.makeConfig(defaults))
}
