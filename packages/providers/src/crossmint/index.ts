import { Effect, Redacted } from "effect"
import { toThrownPlacement } from "../fulfilment/PlacementOutcome.ts"
import { treasuryFromPromise } from "../treasury/Treasury.ts"
import { makeWithFetch, toPromise } from "../upstream/index.ts"
import { type CrossmintParts, makeParts } from "./Crossmint.ts"
import { type CrossmintError, toHostError } from "./Errors.ts"
import type { CrossmintFulfilment, CrossmintOptions } from "./Options.ts"

/*
 * Fulfilment by Crossmint (https://docs.crossmint.com): quotes and places orders at Amazon and Shopify's
 * shops. The host's treasury pays them in USDC.
 */

export type { FulfilmentStatus, Parcel } from "@till402/core"
export type { OrderRequest } from "../fulfilment/Buyer.ts"
export { TreasuryFailed } from "../treasury/TreasuryErrors.ts"
export type {
  FetchOptions,
  RateLimit,
  UpstreamSettings,
  UpstreamUsage
} from "../upstream/UpstreamSettings.ts"
export type { CrossmintLayerOptions } from "./Config.ts"
export { Crossmint, type CrossmintClient } from "./Crossmint.ts"
export { type CrossmintError, OtherPayment, PaymentNotSeen, QuoteChanged, QuoteNotReady } from "./Errors.ts"
export type { CrossmintFulfilment, CrossmintOptions, CrossmintSettings } from "./Options.ts"
export type { CrossmintPlacement } from "./Paying.ts"

const run = <A>(call: Effect.Effect<A, CrossmintError>, signal: AbortSignal | undefined): Promise<A> =>
  toPromise(Effect.mapError(call, toHostError), signal)

const toFulfilment = ({ attempt, find, quote, status, usage }: CrossmintParts): CrossmintFulfilment => ({
  quote: (request, { signal }) => run(quote(request), signal),
  place: (order, { signal }) =>
    toPromise(
      Effect.mapError(attempt(order), (failed) => toThrownPlacement(failed, toHostError)),
      signal
    ),
  // No `placesOnce`: no idempotency key is documented. The treasury's journal records what was paid.
  find: (orderId, context) => run(find(orderId, context?.reference), context?.signal),
  status: (reference, context) => run(status(reference), context?.signal),
  usage
})

/**
 * Crossmint as the fulfilment of a till.
 *
 * @throws ConfigurationError for an unusable key, treasury or setting
 * @example
 * import { crossmint } from "@till402/providers/crossmint"
 * import type { TreasuryOptions } from "@till402/providers/treasury"
 *
 * const fulfilmentOver = (treasury: TreasuryOptions) =>
 *   crossmint({
 *     apiKey: process.env["CROSSMINT_API_KEY"]!,
 *     payees: ["0x00000000000000000000000000000000000000c1"],
 *     treasury
 *   })
 */
export const crossmint = ({ apiKey, fetch, treasury, ...options }: CrossmintOptions): CrossmintFulfilment =>
  toFulfilment(
    makeWithFetch(
      makeParts({ ...options, apiKey: Redacted.make(apiKey) }, treasuryFromPromise(treasury)),
      fetch
    )
  )
