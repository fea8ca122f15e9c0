import type { ConfigurationError } from "@till402/core"
import { Config, Effect, Layer, Option, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { toPlaceError } from "../fulfilment/Placement.ts"
import { overFetch, promised, settingsConfig } from "../upstream/index.ts"
import { productionUrl, type ZincLayerOptions } from "./Configured.ts"
import { toHostError, type ZincError } from "./Errors.ts"
import type { ZincFulfilment, ZincOptions } from "./Options.ts"
import { make, makeParts, type ZincParts, ZincService } from "./Zinc.ts"

/*
 * Fulfilment by Zinc (https://www.zinc.com/docs/v2): places orders at online retailers for no more than a price
 * that is given, paid from the account's wallet.
 */

export type { FulfilmentStatus, Parcel } from "@till402/core"
export type { FulfilmentUpdate } from "../rye/Options.ts"
export type { OrderRequest } from "../fulfilment/Buyer.ts"
export type { ZincLayerOptions } from "./Configured.ts"
export {
  ListingNotReady,
  OrderUnderWay,
  PlacementUnknown,
  QuotesNotOffered,
  ReferenceMalformed,
  ReferenceUnknown,
  TotalUnusable,
  WalletShort,
  type ZincError
} from "./Errors.ts"
export type { CostAllowance, ZincFulfilment, ZincOptions, ZincSettings } from "./Options.ts"
export type { ZincPlacement } from "./Placing.ts"
export { make, type ZincClient, ZincService } from "./Zinc.ts"
export type { FetchOptions, RateLimit, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"

const run = <A>(call: Effect.Effect<A, ZincError>, signal: AbortSignal | undefined): Promise<A> =>
  promised(Effect.mapError(call, toHostError), signal)

const toFulfilment = ({ attempt, find, quote, status, usage, webhook }: ZincParts): ZincFulfilment => ({
  quote: (request, { signal }) => run(quote(request), signal),
  place: (order, { signal }) =>
    promised(
      Effect.mapError(attempt(order), (failed) => toPlaceError(failed, toHostError)),
      signal
    ),
  // An `idempotency_key` that was used is refused with `already_exists`, for good:
  // https://www.zinc.com/docs/v2/api-reference/introduction/error-handling
  placesOnce: true,
  find: (orderId, context) => run(find(orderId), context?.signal),
  status: (reference, context) => run(status(reference), context?.signal),
  webhook: (request) => Effect.runPromise(webhook(request)),
  usage
})

/**
 * Zinc as the fulfilment of a till, or as what places orders that another upstream has quoted: placing needs
 * product, address and total alone.
 *
 * @throws ConfigurationError for a key or setting that can't be used.
 * @example
 * import { rye } from "@till402/providers/rye"
 * import { zinc } from "@till402/providers/zinc"
 *
 * const { quote } = rye({ apiKey: process.env["RYE_API_KEY"]! })
 * const { find, place, placesOnce, status } = zinc({ apiKey: process.env["ZINC_API_KEY"]! })
 * const fulfilment = { quote, place, placesOnce, find, status }
 */
export const zinc = ({ apiKey, fetch, webhookSecret, ...options }: ZincOptions): ZincFulfilment =>
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

/** Zinc as a service. */
export const layer = (
  options: ZincLayerOptions
): Layer.Layer<ZincService, ConfigurationError, HttpClient.HttpClient> =>
  Layer.effect(ZincService, make(options))

const config = Config.all({
  apiKey: Config.Redacted("ZINC_API_KEY"),
  webhookSecret: Config.option(Config.Redacted("ZINC_WEBHOOK_SECRET")),
  defaultPhone: Config.option(Config.String("ZINC_DEFAULT_PHONE")),
  retailerCredentialsId: Config.option(Config.String("ZINC_RETAILER_CREDENTIALS_ID")),
  allowance: Config.option(
    Config.all({
      taxBasisPoints: Config.Int("ZINC_ALLOWANCE_TAX_BASIS_POINTS"),
      shippingCents: Config.Int("ZINC_ALLOWANCE_SHIPPING_CENTS")
    })
  ),
  baseUrl: Config.String("ZINC_BASE_URL").pipe(Config.withDefault(productionUrl)),
  settings: settingsConfig("ZINC")
})

const present = (values: Readonly<Record<string, Option.Option<unknown>>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  )

/**
 * Zinc configured by `ZINC_API_KEY` and, optionally, `ZINC_WEBHOOK_SECRET`, `ZINC_DEFAULT_PHONE`,
 * `ZINC_RETAILER_CREDENTIALS_ID`, `ZINC_ALLOWANCE_TAX_BASIS_POINTS` with `ZINC_ALLOWANCE_SHIPPING_CENTS`,
 * `ZINC_BASE_URL`, `ZINC_TIMEOUT_MILLIS`, `ZINC_DEADLINE_MILLIS`, `ZINC_RETRIES` and `ZINC_MAX_CONCURRENT`;
 * `onUpdate` is given.
 */
export const layerConfigWith = (
  given: Pick<ZincLayerOptions, "onUpdate">
): Layer.Layer<ZincService, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =>
  Layer.unwrap(
    Effect.map(config, ({ apiKey, baseUrl, settings, ...optional }) =>
      layer({ ...given, ...settings, apiKey, baseUrl, ...present(optional) })
    )
  )

/** Zinc configured by the environment alone; see `layerConfigWith`. */
export const layerConfig: Layer.Layer<
  ZincService,
  Config.ConfigError | ConfigurationError,
  HttpClient.HttpClient
> = layerConfigWith({})
