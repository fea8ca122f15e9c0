import type { ConfigurationError } from "@till402/core"
import { Config, Effect, Layer, Option, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { toPlaceError } from "../fulfilment/Placement.ts"
import { overFetch, promised, settingsConfig } from "../upstream/index.ts"
import { productionUrl, type RyeLayerOptions } from "./Configured.ts"
import { type RyeError, toHostError } from "./Errors.ts"
import type { RyeFulfilment, RyeOptions } from "./Options.ts"
import { make, makeParts, type RyeParts, RyeService } from "./Rye.ts"

/*
 * Fulfilment by Rye's Universal Checkout (https://rye.com/docs/api-v2): quotes and places orders at Amazon, at
 * Shopify's shops and others, paid from the account's drawdown balance.
 */

export type { OrderRequest } from "../fulfilment/Buyer.ts"
export type { RyeLayerOptions } from "./Configured.ts"
export {
  ConfirmationUnderWay,
  IntentFailed,
  IntentNotPlaceable,
  JournalFailed,
  OfferChanged,
  OfferNotReady,
  PlacementUnknown,
  type RyeError
} from "./Errors.ts"
export type { FulfilmentStatus, Parcel } from "@till402/core"
export type { FulfilmentUpdate, RyeFulfilment, RyeOptions, RyeSettings } from "./Options.ts"
export { memoryPlacements, type PlacementEntry, type PlacementJournal } from "./PlacementJournal.ts"
export type { RyePlacement } from "./Placing.ts"
export { make, type RyeClient, RyeService } from "./Rye.ts"
export type { FetchOptions, RateLimit, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"

const run = <A>(call: Effect.Effect<A, RyeError>, signal: AbortSignal | undefined): Promise<A> =>
  promised(Effect.mapError(call, toHostError), signal)

const toFulfilment = ({ attempt, find, quote, status, usage, webhook }: RyeParts): RyeFulfilment => ({
  quote: (request, { signal }) => run(quote(request), signal),
  place: (order, { signal }) =>
    promised(
      Effect.mapError(attempt(order), (failed) => toPlaceError(failed, toHostError)),
      signal
    ),
  // No `placesOnce`: what Rye does with an idempotency key is not documented. Its intents can be asked instead.
  find: (orderId, context) => run(find(orderId, context?.reference), context?.signal),
  status: (reference, context) => run(status(reference), context?.signal),
  webhook: (request) => Effect.runPromise(webhook(request)),
  usage
})

/**
 * Rye as the fulfilment of a till.
 *
 * @throws ConfigurationError for a key or setting that can't be used.
 * @example
 * import { rye } from "@till402/providers/rye"
 *
 * const fulfilment = rye({ apiKey: process.env["RYE_API_KEY"]!, webhookSecret: process.env["RYE_WEBHOOK_SECRET"]! })
 * // the till's options: { fulfilment, publicRoutes: { "/webhooks/rye": fulfilment.webhook } }
 */
export const rye = ({ apiKey, fetch, webhookSecret, ...options }: RyeOptions): RyeFulfilment =>
  toFulfilment(
    overFetch(
      makeParts({
        ...options,
        apiKey: Redacted.make(apiKey),
        ...(webhookSecret === undefined ? {} : { webhookSecret: Redacted.make(webhookSecret) })
      }),
      fetch === undefined ? {} : { fetch }
    )
  )

/** Rye as a service. */
export const layer = (
  options: RyeLayerOptions
): Layer.Layer<RyeService, ConfigurationError, HttpClient.HttpClient> =>
  Layer.effect(RyeService, make(options))

const config = Config.all({
  apiKey: Config.Redacted("RYE_API_KEY"),
  webhookSecret: Config.option(Config.Redacted("RYE_WEBHOOK_SECRET")),
  defaultPhone: Config.option(Config.String("RYE_DEFAULT_PHONE")),
  offerRetrievalEffort: Config.option(Config.Literals(["max", "low"], "RYE_OFFER_RETRIEVAL_EFFORT")),
  requestsPerSecond: Config.option(Config.Int("RYE_REQUESTS_PER_SECOND")),
  baseUrl: Config.String("RYE_BASE_URL").pipe(Config.withDefault(productionUrl)),
  settings: settingsConfig("RYE")
})

const present = (values: Readonly<Record<string, Option.Option<unknown>>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  )

/**
 * Rye configured by `RYE_API_KEY` and, optionally, `RYE_WEBHOOK_SECRET`, `RYE_DEFAULT_PHONE`,
 * `RYE_OFFER_RETRIEVAL_EFFORT`, `RYE_REQUESTS_PER_SECOND`, `RYE_BASE_URL`, `RYE_TIMEOUT_MILLIS`,
 * `RYE_DEADLINE_MILLIS`, `RYE_RETRIES` and `RYE_MAX_CONCURRENT`; `placements` and `onUpdate` are given.
 */
export const layerConfigWith = (
  given: Pick<RyeLayerOptions, "placements" | "onUpdate">
): Layer.Layer<RyeService, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =>
  Layer.unwrap(
    Effect.map(config, ({ apiKey, baseUrl, settings, ...optional }) =>
      layer({
        ...given,
        ...settings,
        apiKey,
        baseUrl,
        ...present(optional)
      })
    )
  )

/** Rye configured by the environment alone; see `layerConfigWith`. */
export const layerConfig: Layer.Layer<
  RyeService,
  Config.ConfigError | ConfigurationError,
  HttpClient.HttpClient
> = layerConfigWith({})
