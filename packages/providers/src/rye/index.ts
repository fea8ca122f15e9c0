import { Effect, Redacted } from "effect"
import { amazonOfUnitedStates } from "../fulfilment/Buyer.ts"
import { toThrownPlacement } from "../fulfilment/PlacementOutcome.ts"
import { makeWithFetch, toPromise } from "../upstream/index.ts"
import { type RyeError, toHostError } from "./Errors.ts"
import type { RyeFulfilment, RyeOptions } from "./Options.ts"
import { memoryPlacementJournal } from "./PlacementJournal.ts"
import { makeParts, type RyeParts } from "./Rye.ts"

/*
 * Fulfilment by Rye's Universal Checkout (https://rye.com/docs/api-v2): quotes and places orders at Amazon,
 * Shopify's and other shops, paid from the account's drawdown balance.
 */

export type { FulfilmentStatus, Parcel } from "@till402/core"
export type { OrderRequest } from "../fulfilment/Buyer.ts"
export type { FulfilmentUpdate, OnFulfilmentUpdate } from "../fulfilment/FulfilmentUpdate.ts"
export type * from "../upstream/UpstreamSettings.ts"
export type { RyeLayerOptions } from "./Config.ts"
export {
  BalanceTooLow,
  ConfirmationInFlight,
  DrawdownDisabled,
  IntentBudgetSpent,
  TooManyOrders,
  IntentFailed,
  IntentNotPlaceable,
  JournalFailed,
  OfferChanged,
  OfferNotReady,
  PlacementUnknown,
  type RyeError
} from "./Errors.ts"
export type { RyeFulfilment, RyeOptions, RyeSettings } from "./Options.ts"
export { memoryPlacementJournal, type PlacementEntry, type PlacementJournal } from "./PlacementJournal.ts"
export type { RyePlacement } from "./Placing.ts"
export { Rye, type RyeClient } from "./Rye.ts"

const run = <A>(call: Effect.Effect<A, RyeError>, signal: AbortSignal | undefined): Promise<A> =>
  toPromise(Effect.mapError(call, toHostError), signal)

const toFulfilment = ({ attempt, find, quote, status, usage, webhook }: RyeParts): RyeFulfilment => ({
  generalMarketplace: amazonOfUnitedStates,
  quote: (request, { signal }) => run(quote(request), signal),
  place: (order, { signal }) =>
    toPromise(
      Effect.mapError(attempt(order), (failed) => toThrownPlacement(failed, toHostError)),
      signal
    ),
  // No `placesOnce`: what Rye does with an idempotency key is not documented. Its intents can be queried.
  find: (orderId, context) => run(find(orderId, context?.reference), context?.signal),
  status: (reference, context) => run(status(reference), context?.signal),
  webhook: (request) => Effect.runPromise(webhook(request)),
  usage
})

/**
 * Rye as the fulfilment of a till.
 *
 * @throws ConfigurationError for an unusable key or setting
 * @example
 * import { rye } from "@till402/providers/rye"
 *
 * const fulfilment = rye({ apiKey: process.env["RYE_API_KEY"]!, webhookSecret: process.env["RYE_WEBHOOK_SECRET"] })
 * // the till's options: { fulfilment, publicRoutes: { "/webhooks/rye": fulfilment.webhook } }
 */
export const rye = ({ apiKey, fetch, placements, webhookSecret, ...options }: RyeOptions): RyeFulfilment =>
  toFulfilment(
    makeWithFetch(
      makeParts(
        {
          ...options,
          apiKey: Redacted.make(apiKey),
          webhookSecret: webhookSecret === undefined ? undefined : Redacted.make(webhookSecret)
        },
        placements ?? { ...memoryPlacementJournal(), isDurable: false }
      ),
      fetch
    )
  )
