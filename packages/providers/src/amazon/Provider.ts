import type { ConfigurationError } from "@till402/core"
import { Config, Effect, Layer, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { baseUrlOf, keyOf, makeUpstream, overFetch, settingsConfig } from "../upstream/index.ts"
import type { UpstreamSettings } from "../upstream/Settings.ts"
import {
  type AmazonClient,
  amazonClient,
  type AmazonMarketplace,
  AmazonSearch,
  type AmazonSource,
  toMarketplace,
  toMarketplaceOptions
} from "./AmazonSearch.ts"
import { type AmazonCountry, amazonCountries, countryOf } from "./Country.ts"
import type { AmazonMarketplaceOptions, AmazonOptions, AmazonSettings } from "./Options.ts"

/** What an Effect host gives. */
export interface AmazonLayerOptions extends AmazonSettings {
  readonly apiKey: Redacted.Redacted<string>
}

/** A provider in every form a host may want it. */
export interface AmazonProvider {
  readonly plain: (options: AmazonOptions) => AmazonMarketplaceOptions
  readonly make: (
    options: AmazonLayerOptions
  ) => Effect.Effect<AmazonMarketplace, ConfigurationError, HttpClient.HttpClient>
  readonly layer: (
    options: AmazonLayerOptions
  ) => Layer.Layer<AmazonSearch, ConfigurationError, HttpClient.HttpClient>
  readonly layerConfig: Layer.Layer<
    AmazonSearch,
    Config.ConfigError | ConfigurationError,
    HttpClient.HttpClient
  >
}

/** Makes the forms of one provider: they differ in name, address and source only. */
export const amazonProvider = (provider: {
  readonly name: string
  readonly baseUrl: string
  /** Where the provider needs others than the usual. */
  readonly settings?: UpstreamSettings
  readonly source: (options: {
    readonly baseUrl: string
    readonly apiKey: string
    readonly country: AmazonCountry
  }) => AmazonSource
}): AmazonProvider => {
  const { name } = provider

  const makeClient = Effect.fnUntraced(function* (
    options: AmazonLayerOptions
  ): Effect.fn.Return<AmazonClient, ConfigurationError, HttpClient.HttpClient> {
    const country = yield* countryOf(name, options.country ?? "US")
    const apiKey = Redacted.value(yield* keyOf(name, options.apiKey))
    const baseUrl = yield* baseUrlOf(name, options.baseUrl ?? provider.baseUrl)
    const upstream = yield* makeUpstream({ ...provider.settings, ...options, name })
    return amazonClient(upstream, provider.source({ baseUrl, apiKey, country }), country)
  })

  const make: AmazonProvider["make"] = (options) => Effect.map(makeClient(options), toMarketplace)
  const layer: AmazonProvider["layer"] = (options) => Layer.effect(AmazonSearch, make(options))

  const prefix = name.toUpperCase()
  const config = Config.all({
    apiKey: Config.Redacted(`${prefix}_API_KEY`),
    country: Config.Literals(amazonCountries, `${prefix}_COUNTRY`).pipe(Config.withDefault("US" as const)),
    baseUrl: Config.String(`${prefix}_BASE_URL`).pipe(Config.withDefault(provider.baseUrl)),
    settings: settingsConfig(prefix)
  })

  return {
    plain: ({ apiKey, fetch, ...options }) =>
      toMarketplaceOptions(
        overFetch(
          makeClient({ ...options, apiKey: Redacted.make(apiKey) }),
          fetch === undefined ? {} : { fetch }
        )
      ),
    make,
    layer,
    layerConfig: Layer.unwrap(
      Effect.map(config, ({ settings, ...options }) => layer({ ...settings, ...options }))
    )
  }
}
