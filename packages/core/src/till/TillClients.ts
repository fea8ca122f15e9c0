import { type Config, Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import type { ConfigurationError } from "../domain/Errors.ts"
import type { Chain } from "../toll/evidence/Chain.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import * as ChainRpc from "./ChainRpc.ts"
import { silentConfigWithFacilitator } from "./settings/TillConfig.ts"

/**
 * Makes the facilitator and the chains of a till over the host's `HttpClient`, with the variables of `Till.layerConfig` and
 * `TILL_FACILITATOR_URL` from the host's `ConfigProvider`. One error lists every variable that is missing, wrong or
 * misspelled.
 *
 * @example
 * import { Till, TillClients, Track } from "@till402/core/effect"
 * import { Layer } from "effect"
 *
 * const TillLive = Till.layerConfig([Track.layer]).pipe(Layer.provide(TillClients.layerConfig))
 */
export const layerConfig: Layer.Layer<
  Facilitator | Chain,
  Config.ConfigError | ConfigurationError,
  HttpClient.HttpClient
> = Layer.unwrap(
  Effect.gen(function* () {
    const { facilitator, ...settings } = yield* silentConfigWithFacilitator
    return Layer.merge(Facilitator.layerHttp(facilitator), ChainRpc.layer(settings))
  })
)
