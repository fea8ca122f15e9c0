import type { ConfigurationError } from "@till402/core"
import { Config, Effect, Layer, Option, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { toPlaceError } from "../fulfilment/Placement.ts"
import type { Hex } from "../treasury/Hex.ts"
import { type Treasury, TreasuryService } from "../treasury/Treasury.ts"
import { overFetch, promised, settingsConfig } from "../upstream/index.ts"
import { type CrossmintLayerOptions, productionUrl } from "./Configured.ts"
import {
  type CrossmintClient,
  type CrossmintParts,
  CrossmintService,
  makeCrossmint,
  makeParts
} from "./Crossmint.ts"
import { type CrossmintError, toHostError } from "./Errors.ts"
import type { CrossmintFulfilment, CrossmintOptions } from "./Options.ts"

/*
 * Fulfilment by Crossmint (https://docs.crossmint.com): quotes and places orders at Amazon and Shopify's
 * shops, which the host's treasury pays in USDC.
 */

export { type CrossmintClient, CrossmintService } from "./Crossmint.ts"
export type { CrossmintPlacement } from "./Paying.ts"
export type { CrossmintLayerOptions } from "./Configured.ts"
export { type CrossmintError, QuoteChanged, QuoteNotReady, TreasuryFailed } from "./Errors.ts"
export type { FulfilmentStatus, Parcel } from "@till402/core"
export type { CrossmintFulfilment, CrossmintOptions, CrossmintSettings } from "./Options.ts"
export type { OrderRequest } from "./Orders.ts"
export type { FetchOptions, RateLimit, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"

const run = <A>(call: Effect.Effect<A, CrossmintError>, signal: AbortSignal | undefined): Promise<A> =>
  promised(Effect.mapError(call, toHostError), signal)

const toFulfilment = ({ attempt, find, quote, status, usage }: CrossmintParts): CrossmintFulfilment => ({
  quote: (request, { signal }) => run(quote(request), signal),
  place: (order, { signal }) =>
    promised(
      Effect.mapError(attempt(order), (failed) => toPlaceError(failed, toHostError)),
      signal
    ),
  // No `placesOnce`: Crossmint documents no idempotency key. The treasury's journal tells what was paid.
  find: (orderId, context) => run(find(orderId), context?.signal),
  status: (reference, context) => run(status(reference), context?.signal),
  usage
})

/**
 * Crossmint as the fulfilment of a till.
 *
 * @throws ConfigurationError for a key, treasury or setting that can't be used.
 * @example
 * import { crossmint } from "@till402/providers/crossmint"
 * import type { Treasury } from "@till402/providers/treasury"
 *
 * const fulfilmentOver = (treasury: Treasury) =>
 *   crossmint({
 *     apiKey: process.env["CROSSMINT_API_KEY"]!,
 *     payees: ["0x00000000000000000000000000000000000000c1"],
 *     treasury
 *   })
 */
export const crossmint = ({ apiKey, fetch, ...options }: CrossmintOptions): CrossmintFulfilment =>
  toFulfilment(
    overFetch(makeParts({ ...options, apiKey: Redacted.make(apiKey) }), fetch === undefined ? {} : { fetch })
  )

/** Crossmint for an Effect host, over the `HttpClient` and the treasury at hand. */
export const make = (
  options: CrossmintLayerOptions
): Effect.Effect<CrossmintClient, ConfigurationError, HttpClient.HttpClient | TreasuryService> =>
  Effect.flatMap(TreasuryService, (treasury: Treasury) => makeCrossmint({ ...options, treasury }))

/** Crossmint as a service. */
export const layer = (
  options: CrossmintLayerOptions
): Layer.Layer<CrossmintService, ConfigurationError, HttpClient.HttpClient | TreasuryService> =>
  Layer.effect(CrossmintService, make(options))

const config = Config.all({
  apiKey: Config.Redacted("CROSSMINT_API_KEY"),
  payees: Config.String("CROSSMINT_PAYEES").pipe(
    Config.map((text) => text.split(",").map((payee) => payee.trim() as Hex))
  ),
  paymentMethod: Config.option(Config.String("CROSSMINT_PAYMENT_METHOD")),
  locale: Config.option(Config.String("CROSSMINT_LOCALE")),
  receiptEmail: Config.option(Config.String("CROSSMINT_RECEIPT_EMAIL")),
  baseUrl: Config.String("CROSSMINT_BASE_URL").pipe(Config.withDefault(productionUrl)),
  settings: settingsConfig("CROSSMINT")
})

/**
 * Crossmint configured by `CROSSMINT_API_KEY`, `CROSSMINT_PAYEES` (addresses, separated by commas) and,
 * optionally, `CROSSMINT_PAYMENT_METHOD`, `CROSSMINT_LOCALE`, `CROSSMINT_RECEIPT_EMAIL`,
 * `CROSSMINT_BASE_URL`, `CROSSMINT_TIMEOUT_MILLIS`, `CROSSMINT_DEADLINE_MILLIS`, `CROSSMINT_RETRIES` and
 * `CROSSMINT_MAX_CONCURRENT`. The treasury is a service.
 */
export const layerConfig: Layer.Layer<
  CrossmintService,
  Config.ConfigError | ConfigurationError,
  HttpClient.HttpClient | TreasuryService
> = Layer.unwrap(
  Effect.map(config, ({ apiKey, baseUrl, payees, settings, ...optional }) =>
    layer({
      ...settings,
      apiKey,
      baseUrl,
      payees,
      ...Object.fromEntries(
        Object.entries(optional).flatMap(([name, value]) =>
          Option.isSome(value) ? [[name, value.value]] : []
        )
      )
    })
  )
)
