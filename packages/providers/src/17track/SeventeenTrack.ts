import { Config, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { HttpClient } from "effect/http"
import { ConfigurationError, TemporarilyUnavailable, type TrackQuery, type TrackResult } from "@till402/core"
import { Tracker, UpstreamFailed, UpstreamUnavailable } from "@till402/core/effect"
import { bundledCarriers } from "../carriers/LikelyCarriers.ts"
import {
  baseUrlOf,
  keyOf,
  overFetch,
  promised,
  settingsConfig,
  toPortError,
  type UpstreamUsage
} from "../upstream/index.ts"
import { type Calls, makeCalls } from "./Calls.ts"
import { type LookupError, makeLookup } from "./Lookup.ts"
import type { SeventeenTrackOptions, SeventeenTrackSettings, SeventeenTrackTracker } from "./Options.ts"
import type { TrackRefusal } from "./Refusals.ts"
import { Tracking } from "./Tracking.ts"

/** What an Effect host gives. */
export interface SeventeenTrackLayerOptions extends SeventeenTrackSettings {
  readonly apiKey: Redacted.Redacted<string>
}

/** Shipments by way of 17TRACK. */
export class SeventeenTrack extends Context.Service<
  SeventeenTrack,
  {
    readonly track: (
      query: TrackQuery
    ) => Effect.Effect<TrackResult, TrackRefusal | UpstreamFailed | UpstreamUnavailable>
    /** Answers a webhook of 17TRACK: 200 where it was taken up, 401 where it is not signed. */
    readonly webhook: (request: Request) => Effect.Effect<Response>
    readonly usage: () => UpstreamUsage
  }
>()("@till402/providers/SeventeenTrack") {}

const name = "17track"
const defaultBaseUrl = "https://api.17track.net/track/v2.4"

const wholeNumber = (
  setting: string,
  value: number,
  minimum: number
): Effect.Effect<number, ConfigurationError> =>
  Number.isSafeInteger(value) && value >= minimum
    ? Effect.succeed(value)
    : Effect.fail(
        new ConfigurationError({
          message: `${name}: ${setting} must be a whole number of at least ${minimum}`
        })
      )

const makeTracking = Effect.fnUntraced(function* (
  options: SeventeenTrackLayerOptions
): Effect.fn.Return<
  { readonly calls: Calls; readonly tracking: Tracking },
  ConfigurationError,
  HttpClient.HttpClient
> {
  const apiKey = yield* keyOf(name, options.apiKey)
  const baseUrl = yield* baseUrlOf(name, options.baseUrl ?? defaultBaseUrl)
  const requestsPerSecond = yield* wholeNumber("requestsPerSecond", options.requestsPerSecond ?? 3, 1)
  const deadlineMillis = yield* wholeNumber("lookupMillis", options.lookupMillis ?? 18_000, 1)
  const firstNewsMillis = yield* wholeNumber("firstNewsMillis", options.firstNewsMillis ?? 12_000, 0)
  const cacheCapacity = yield* wholeNumber("cacheCapacity", options.cacheCapacity ?? 2_000, 0)
  const findCarrier = (code: number) => options.carriers?.find(code) ?? bundledCarriers.get(code)
  const calls = yield* makeCalls({
    apiKey,
    baseUrl,
    requestsPerSecond,
    findCarrier,
    // 40 shipments of some hundred events each are larger than most answers.
    upstream: { timeoutMillis: 6_000, deadlineMillis: 8_000, maxAnswerBytes: 16 * 1024 * 1024, ...options }
  })
  const lookUp = makeLookup({
    calls,
    findCarrier,
    formatDate: options.formatShipDate ?? ((date) => date),
    language: options.language,
    deadlineMillis,
    firstNewsMillis
  })
  return { calls, tracking: new Tracking({ apiKey, lookUp, findCarrier, cacheCapacity }) }
})

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

/** 17TRACK for an Effect host, over the `HttpClient` at hand. */
export const make = (
  options: SeventeenTrackLayerOptions
): Effect.Effect<SeventeenTrack["Service"], ConfigurationError, HttpClient.HttpClient> =>
  Effect.map(makeTracking(options), ({ calls, tracking }) => ({
    track: Effect.fn("SeventeenTrack.track")((query: TrackQuery) =>
      Effect.mapError(tracking.track(query), portErrorOf)
    ),
    webhook: Effect.fn("SeventeenTrack.webhook")((request: Request) => tracking.webhook(request)),
    usage: calls.usage
  }))

/** 17TRACK, and the tracker of a till by way of it. */
export const layer = (
  options: SeventeenTrackLayerOptions
): Layer.Layer<SeventeenTrack | Tracker, ConfigurationError, HttpClient.HttpClient> =>
  Layer.provideMerge(
    Layer.effect(
      Tracker,
      SeventeenTrack.useSync(({ track }) => ({ track }))
    ),
    Layer.effect(SeventeenTrack, make(options))
  )

const prefix = "SEVENTEENTRACK"

const config = Config.all({
  apiKey: Config.Redacted(`${prefix}_API_KEY`),
  baseUrl: Config.String(`${prefix}_BASE_URL`).pipe(Config.withDefault(defaultBaseUrl)),
  requestsPerSecond: Config.schema(
    Schema.Int.check(Schema.isGreaterThan(0)),
    `${prefix}_REQUESTS_PER_SECOND`
  ).pipe(Config.withDefault(3)),
  language: Config.option(Config.String(`${prefix}_LANGUAGE`)),
  settings: settingsConfig(prefix)
})

/**
 * 17TRACK configured by `SEVENTEENTRACK_API_KEY` and, optionally, `SEVENTEENTRACK_BASE_URL`,
 * `SEVENTEENTRACK_REQUESTS_PER_SECOND`, `SEVENTEENTRACK_LANGUAGE`, `SEVENTEENTRACK_TIMEOUT_MILLIS`,
 * `SEVENTEENTRACK_DEADLINE_MILLIS`, `SEVENTEENTRACK_RETRIES` and `SEVENTEENTRACK_MAX_CONCURRENT`.
 */
export const layerConfig: Layer.Layer<
  SeventeenTrack | Tracker,
  Config.ConfigError | ConfigurationError,
  HttpClient.HttpClient
> = Layer.unwrap(
  Effect.map(config, ({ language, settings, ...options }) =>
    layer({
      ...settings,
      ...options,
      ...(Option.isSome(language) ? { language: language.value } : {})
    })
  )
)

/** As a plain host is to throw it: what passes by itself is 503, a fault 502. */
const thrownOf = (error: LookupError): LookupError | TemporarilyUnavailable =>
  error._tag === "ProviderRefusal" && error.isUnavailable
    ? Object.assign(new TemporarilyUnavailable({ message: error.message }), { code: error.code })
    : error

/**
 * 17TRACK as the tracker of a till.
 *
 * @throws ConfigurationError for a key, address or setting that can't be used.
 * @example
 * import { seventeenTrack } from "@till402/providers/17track"
 *
 * const tracker = seventeenTrack({ apiKey: process.env["SEVENTEENTRACK_API_KEY"]! })
 * // the till's option: { tracker }; the webhooks' endpoint: app.post("/17track", ({ req }) => tracker.webhook(req.raw))
 */
export const seventeenTrack = ({
  apiKey,
  fetch,
  ...options
}: SeventeenTrackOptions): SeventeenTrackTracker => {
  const { calls, tracking } = overFetch(
    makeTracking({ ...options, apiKey: Redacted.make(apiKey) }),
    fetch === undefined ? {} : { fetch }
  )
  return {
    track: (query, { signal }) => promised(Effect.mapError(tracking.track(query), thrownOf), signal),
    webhook: (request) => Effect.runPromise(tracking.webhook(request)),
    usage: calls.usage
  }
}
