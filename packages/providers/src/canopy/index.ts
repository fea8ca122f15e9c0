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
import { canopyService } from "../amazon/services.ts"

/*
 * `marketplace_a` from Canopy (https://canopyapi.co): search of Amazon's shops.
 * Interchangeable with Rainforest and SerpApi.
 */

export type * from "../amazon/publicTypes.ts"

const provider = amazonProvider(canopyService)

/**
 * Canopy as the general marketplace of a till.
 *
 * @throws ConfigurationError for an unusable key, address or setting
 * @example
 * import { canopy } from "@till402/providers/canopy"
 *
 * const marketplaces = { marketplace_a: canopy({ apiKey: process.env["CANOPY_API_KEY"]! }) }
 */
export const canopy: (options: AmazonOptions) => AmazonMarketplaceOptions = provider.plain

/**
 * Canopy as a marketplace of an Effect host.
 *
 * @example
 * import { Marketplaces } from "@till402/core/effect"
 * import { Canopy } from "@till402/providers/canopy"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const marketplaces = Marketplaces.layerOf(Canopy).pipe(
 *   Layer.provide(Canopy.layerConfig()),
 *   Layer.provide(FetchHttpClient.layer)
 * )
 */
export class Canopy extends Context.Service<Canopy, AmazonMarketplace>()("@till402/providers/Canopy") {
  static readonly layer = (
    options: AmazonLayerOptions
  ): Layer.Layer<Canopy, ConfigurationError, HttpClient.HttpClient> =>
    Layer.effect(Canopy, provider.make(options))

  /**
   * Reads `CANOPY_API_KEY` and, if set, `CANOPY_COUNTRY`, `CANOPY_BASE_URL` and the settings of
   * all providers, such as `CANOPY_TIMEOUT_MILLIS`. They take precedence over `defaults`.
   */
  static readonly layerConfig = (
    defaults: AmazonSettings = {}
  ): Layer.Layer<Canopy, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =>
    Layer.effect(Canopy, provider.makeConfig(defaults))
}
