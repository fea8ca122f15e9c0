import { type Config, Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import type { ConfigurationError } from "../domain/Errors.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import { checkSettings } from "./settings/Configuration.ts"
import { silentTillConfig } from "./settings/TillConfig.ts"
import type { TillSettings } from "./settings/TillSettings.ts"

/**
 * Makes the layer of the chains that a till reads, over the host's `HttpClient`: those of `networks` with an `rpcUrl`.
 *
 * @example
 * const chain = ChainRpc.layer(settings)
 */
export const layer = (
  settings: TillSettings
): Layer.Layer<Chain, ConfigurationError, HttpClient.HttpClient> =>
  Layer.unwrap(Effect.map(checkSettings(settings), ({ networks }) => Chain.layerRpc(networks)))

/** The same with `TILL_NETWORKS` and `TILL_RPC_URL_*` from the host's `ConfigProvider`. */
export const layerConfig: Layer.Layer<Chain, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =
  Layer.unwrap(
    Effect.gen(function* () {
      return layer(yield* silentTillConfig)
    })
  )
