import { type Config, Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { facilitatorConfig } from "./settings/TillConfig.ts"

/**
 * Makes a facilitator over the host's `HttpClient`, with `TILL_FACILITATOR_URL` and its timeouts from the host's
 * `ConfigProvider`. `Facilitator.layerHttp` takes them as an object.
 */
export const layerConfig: Layer.Layer<Facilitator, Config.ConfigError, HttpClient.HttpClient> = Layer.unwrap(
  Effect.gen(function* () {
    return Facilitator.layerHttp(yield* facilitatorConfig)
  })
)
