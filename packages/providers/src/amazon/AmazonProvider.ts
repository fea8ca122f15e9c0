import type { ConfigurationError } from "@till402/core"
import { Config, Effect, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import {
  makeUpstream,
  makeWithFetch,
  optionalSettings,
  settingReaders,
  upstreamConfig,
  withDefaults
} from "../upstream/index.ts"
import {
  type AmazonClient,
  amazonClient,
  type AmazonMarketplace,
  toMarketplace,
  toMarketplaceOptions
} from "./AmazonMarketplace.ts"
import type {
  AmazonLayerOptions,
  AmazonMarketplaceOptions,
  AmazonOptions,
  AmazonSettings
} from "./AmazonOptions.ts"
import type { AmazonService } from "./AmazonService.ts"
import { amazonCountries } from "./Country.ts"

/** A provider for plain hosts and for Effect hosts. */
export interface AmazonProvider {
  readonly plain: (options: AmazonOptions) => AmazonMarketplaceOptions
  readonly make: (
    options: AmazonLayerOptions
  ) => Effect.Effect<AmazonMarketplace, ConfigurationError, HttpClient.HttpClient>
  /** Reads the settings from `Config`; they take precedence over `defaults`. */
  readonly makeConfig: (
    defaults: AmazonSettings
  ) => Effect.Effect<AmazonMarketplace, Config.ConfigError | ConfigurationError, HttpClient.HttpClient>
}

/** Makes a provider of a service. */
export const amazonProvider = (service: AmazonService): AmazonProvider => {
  const { name, settings = {} } = service
  const read = settingReaders(name)

  const makeClient = Effect.fnUntraced(function* (
    options: AmazonLayerOptions
  ): Effect.fn.Return<AmazonClient, ConfigurationError, HttpClient.HttpClient> {
    const country = yield* read.oneOf("country", options.country ?? "US", amazonCountries)
    const apiKey = Redacted.value(yield* read.secret("apiKey", options.apiKey))
    const baseUrl = yield* read.url("baseUrl", options.baseUrl ?? service.baseUrl)
    const limits = withDefaults({ deadlineMillis: 7_500, ...settings }, options)
    const upstream = yield* makeUpstream({ ...limits, name })
    return amazonClient(upstream, service, {
      apiKey,
      baseUrl,
      country,
      deadlineMillis: limits.deadlineMillis ?? 7_500
    })
  })

  const make: AmazonProvider["make"] = (options) => Effect.map(makeClient(options), toMarketplace)

  const prefix = name.toUpperCase()
  const config = Config.all({
    apiKey: Config.Redacted(`${prefix}_API_KEY`),
    settings: optionalSettings<Pick<Required<AmazonSettings>, "country" | "baseUrl">>({
      country: Config.Literals(amazonCountries, `${prefix}_COUNTRY`),
      baseUrl: Config.String(`${prefix}_BASE_URL`)
    }),
    upstream: upstreamConfig(prefix)
  })

  return {
    plain: ({ apiKey, fetch, ...options }) =>
      toMarketplaceOptions(makeWithFetch(makeClient({ ...options, apiKey: Redacted.make(apiKey) }), fetch)),
    make,
    makeConfig: (defaults) =>
      Effect.flatMap(config, ({ apiKey, settings, upstream }) =>
        make({ ...defaults, ...upstream, ...settings, apiKey })
      )
  }
}
