import {
  type ConfigurationError,
  TemporarilyUnavailable,
  type TrackQuery,
  type TrackResult
} from "@till402/core"
import { Tracker, UpstreamFailed, UpstreamUnavailable } from "@till402/core/effect"
import { Config, Context, Effect, Layer, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { bundledCarriers } from "../carriers/LikelyCarriers.ts"
import {
  makeWithFetch,
  naturalInt,
  optionalSettings,
  positiveInt,
  settingReaders,
  toPortError,
  toPromise,
  upstreamConfig,
  type UpstreamUsage,
  withDefaults
} from "../upstream/index.ts"
import { type Calls, makeCalls } from "./Calls.ts"
import { Lookup, type LookupError } from "./Lookup.ts"
import type {
  SeventeenTrackLayerOptions,
  SeventeenTrackOptions,
  SeventeenTrackSettings,
  SeventeenTrackTracker
} from "./Options.ts"
import { registrationTags } from "./RegistrationTag.ts"
import type { TrackRefusal } from "./TrackRefusal.ts"
import { Tracking } from "./Tracking.ts"

const name = "17track"
const defaultBaseUrl = "https://api.17track.net/track/v2.4"
const read = settingReaders(name)

/** Forms of a ship date. The documentation shows the second one; a client in use sends the first one. */
const dateFormats = [(date: string) => date.replaceAll("-", "/"), (date: string) => date]

const makeTracking = Effect.fnUntraced(function* (
  options: SeventeenTrackLayerOptions
): Effect.fn.Return<
  { readonly calls: Calls; readonly tracking: Tracking },
  ConfigurationError,
  HttpClient.HttpClient
> {
  const apiKey = yield* read.secret("apiKey", options.apiKey)
  const baseUrl = yield* read.url("baseUrl", options.baseUrl ?? defaultBaseUrl)
  const requestsPerSecond = yield* read.wholeNumber("requestsPerSecond", options.requestsPerSecond ?? 3, 1)
  const deadlineMillis = yield* read.wholeNumber("lookupMillis", options.lookupMillis ?? 18_000, 1)
  const firstNewsMillis = yield* read.wholeNumber("firstNewsMillis", options.firstNewsMillis ?? 12_000, 0)
  const cacheCapacity = yield* read.wholeNumber("cacheCapacity", options.cacheCapacity ?? 2_000, 0)
  const unitCostUsd = yield* read.optional(options.unitCostUsd, (cost) =>
    cost >= 0 && cost <= 100
      ? Effect.succeed(cost)
      : read.invalid("unitCostUsd must be US dollars from 0 to 100")
  )
  const findCarrier = (code: number) => options.carriers?.find(code) ?? bundledCarriers.get(code)
  const tags = registrationTags(apiKey)
  const calls = yield* makeCalls({
    tags,
    apiKey,
    baseUrl,
    requestsPerSecond,
    findCarrier,
    // A response may contain 40 shipments with hundreds of events each.
    upstream: withDefaults(
      { timeoutMillis: 6_000, deadlineMillis: 8_000, maxResponseBytes: 16 * 1024 * 1024 },
      options
    )
  })
  const lookup = new Lookup({
    calls,
    findCarrier,
    dateFormats: options.formatShipDate === undefined ? dateFormats : [options.formatShipDate],
    language: options.language ?? "en",
    tags,
    deadlineMillis,
    firstNewsMillis
  })
  return {
    calls,
    tracking: new Tracking({
      apiKey,
      lookUp: (query) => lookup.lookUp(query),
      findCarrier,
      cacheCapacity,
      unitCostUsd
    })
  }
})

/** As its documentation says: more than these. */
const knownCarriers = 3_000

const isPortError = (error: LookupError): error is TrackRefusal => {
  switch (error._tag) {
    case "AdditionalFieldRequired":
    case "CarrierNotDetected":
    case "InvalidCarrier":
    case "InvalidTrackingNumber":
    case "NoTrackingInfo":
      return true
    default:
      return false
  }
}

const portErrorOf = (error: LookupError): TrackRefusal | UpstreamFailed | UpstreamUnavailable => {
  if (isPortError(error)) return error
  if (error._tag !== "ProviderRefusal") return toPortError("tracking", error)
  return error.isUnavailable
    ? new UpstreamUnavailable({ port: "tracking", cause: error })
    : new UpstreamFailed({ port: "tracking", cause: error })
}

/** 17TRACK for programs in Effect. */
export interface SeventeenTrackClient {
  readonly track: (
    query: TrackQuery
  ) => Effect.Effect<TrackResult, TrackRefusal | UpstreamFailed | UpstreamUnavailable>
  /** Handles a webhook of 17TRACK. Responds with 200 if accepted and 401 if not signed. */
  readonly webhook: (request: Request) => Effect.Effect<Response>
  readonly usage: () => UpstreamUsage
}

/** 17TRACK over the `HttpClient` of the context. */
export const makeSeventeenTrack = (
  options: SeventeenTrackLayerOptions
): Effect.Effect<SeventeenTrackClient, ConfigurationError, HttpClient.HttpClient> =>
  Effect.map(makeTracking(options), ({ calls, tracking }) => ({
    track: Effect.fn("SeventeenTrack.track")((query: TrackQuery) =>
      Effect.mapError(tracking.track(query), portErrorOf)
    ),
    webhook: Effect.fn("SeventeenTrack.webhook")((request: Request) => tracking.webhook(request)),
    usage: calls.usage
  }))

const prefix = "SEVENTEENTRACK"

const config = Config.all({
  apiKey: Config.Redacted(`${prefix}_API_KEY`),
  settings: optionalSettings({
    baseUrl: Config.String(`${prefix}_BASE_URL`),
    requestsPerSecond: positiveInt(`${prefix}_REQUESTS_PER_SECOND`),
    lookupMillis: positiveInt(`${prefix}_LOOKUP_MILLIS`),
    firstNewsMillis: naturalInt(`${prefix}_FIRST_NEWS_MILLIS`),
    cacheCapacity: naturalInt(`${prefix}_CACHE_CAPACITY`),
    language: Config.String(`${prefix}_LANGUAGE`)
  }),
  upstream: upstreamConfig(prefix)
})

const makeConfig = (defaults: SeventeenTrackSettings) =>
  Effect.flatMap(config, ({ apiKey, settings, upstream }) =>
    makeSeventeenTrack({ ...defaults, ...upstream, ...settings, apiKey })
  )

/**
 * 17TRACK as the `Tracker` of an Effect host. The service itself has `webhook` and `usage`.
 *
 * @example
 * import { SeventeenTrack } from "@till402/providers/17track"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const tracker = SeventeenTrack.layerConfig().pipe(Layer.provide(FetchHttpClient.layer))
 */
export class SeventeenTrack extends Context.Service<SeventeenTrack, SeventeenTrackClient>()(
  "@till402/providers/SeventeenTrack"
) {
  static readonly layer = (
    options: SeventeenTrackLayerOptions
  ): Layer.Layer<SeventeenTrack | Tracker, ConfigurationError, HttpClient.HttpClient> =>
    withTracker(Layer.effect(SeventeenTrack, makeSeventeenTrack(options)))

  /**
   * Reads `SEVENTEENTRACK_API_KEY` and, if set, `SEVENTEENTRACK_BASE_URL`,
   * `SEVENTEENTRACK_REQUESTS_PER_SECOND`, `SEVENTEENTRACK_LOOKUP_MILLIS`,
   * `SEVENTEENTRACK_FIRST_NEWS_MILLIS`, `SEVENTEENTRACK_CACHE_CAPACITY`, `SEVENTEENTRACK_LANGUAGE` and the
   * settings of all providers, such as `SEVENTEENTRACK_TIMEOUT_MILLIS`. They take precedence over
   * `defaults`.
   */
  static readonly layerConfig = (
    defaults: SeventeenTrackSettings = {}
  ): Layer.Layer<SeventeenTrack | Tracker, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =>
    withTracker(Layer.effect(SeventeenTrack, makeConfig(defaults)))
}

const withTracker = <E, R>(
  provider: Layer.Layer<SeventeenTrack, E, R>
): Layer.Layer<SeventeenTrack | Tracker, E, R> =>
  Layer.provideMerge(
    Layer.effect(
      Tracker,
      SeventeenTrack.useSync(({ track }) => ({ track, carriers: knownCarriers }))
    ),
    provider
  )

/** The error as a plain function throws it: `TemporarilyUnavailable` for a 503. */
const thrownOf = (error: LookupError): LookupError | TemporarilyUnavailable =>
  error._tag === "ProviderRefusal" && error.isUnavailable
    ? Object.assign(new TemporarilyUnavailable({ message: error.message }), { code: error.code })
    : error

/**
 * 17TRACK as the tracker of a till.
 *
 * @throws ConfigurationError for an unusable key, address or setting
 * @example
 * import { seventeenTrack } from "@till402/providers/17track"
 *
 * const tracker = seventeenTrack({ apiKey: process.env["SEVENTEENTRACK_API_KEY"]! })
 * // the till's options: { tracker, publicRoutes: { "/webhooks/17track": tracker.webhook } }
 */
export const seventeenTrack = ({
  apiKey,
  fetch,
  ...options
}: SeventeenTrackOptions): SeventeenTrackTracker => {
  const { calls, tracking } = makeWithFetch(
    makeTracking({ ...options, apiKey: Redacted.make(apiKey) }),
    fetch
  )
  return {
    track: (query, { signal }) => toPromise(Effect.mapError(tracking.track(query), thrownOf), signal),
    carriers: knownCarriers,
    webhook: (request) => Effect.runPromise(tracking.webhook(request)),
    usage: calls.usage
  }
}
