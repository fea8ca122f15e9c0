import { Effect, Redacted } from "effect"
import { amazonOfUnitedStates } from "../fulfilment/Buyer.ts"
import { toThrownPlacement } from "../fulfilment/PlacementOutcome.ts"
import { makeWithFetch, toPromise } from "../upstream/index.ts"
import { toHostError, type ZincError } from "./Errors.ts"
import type { ZincFulfilment, ZincOptions } from "./Options.ts"
import { makeParts, type ZincParts } from "./Zinc.ts"

/*
 * Fulfilment by Zinc (https://www.zinc.com/docs/v2): places orders at online retailers up to a given price,
 * paid from the account's wallet.
 */

export type { FulfilmentStatus, Parcel } from "@till402/core"
export type { OrderRequest } from "../fulfilment/Buyer.ts"
export type { FulfilmentUpdate, OnFulfilmentUpdate } from "../fulfilment/FulfilmentUpdate.ts"
export type * from "../upstream/UpstreamSettings.ts"
export type { ZincLayerOptions } from "./Config.ts"
export {
  ListingNotReady,
  OrderInFlight,
  PlacementUnknown,
  QuotesNotOffered,
  ReferenceMalformed,
  ReferenceUnknown,
  TotalUnusable,
  WalletUnderfunded,
  type ZincError
} from "./Errors.ts"
export type { CostAllowance, ZincFulfilment, ZincOptions, ZincSettings } from "./Options.ts"
export type { ZincPlacement } from "./Placing.ts"
export { Zinc, type ZincClient } from "./Zinc.ts"

const run = <A>(call: Effect.Effect<A, ZincError>, signal: AbortSignal | undefined): Promise<A> =>
  toPromise(Effect.mapError(call, toHostError), signal)

const toFulfilment = ({ attempt, find, quote, status, usage, webhook }: ZincParts): ZincFulfilment => ({
  generalMarketplace: amazonOfUnitedStates,
  quote: (request, { signal }) => run(quote(request), signal),
  place: (order, { signal }) =>
    toPromise(
      Effect.mapError(attempt(order), (failed) => toThrownPlacement(failed, toHostError)),
      signal
    ),
  // A used `idempotency_key` is refused with `already_exists` permanently:
  // https://www.zinc.com/docs/v2/api-reference/introduction/error-handling
  placesOnce: true,
  find: (orderId, context) => run(find(orderId), context?.signal),
  status: (reference, context) => run(status(reference), context?.signal),
  webhook: (request) => Effect.runPromise(webhook(request)),
  usage
})

/**
 * Zinc as the fulfilment of a till, or to place orders that another upstream quoted.
 *
 * Placing needs only product, address and total.
 *
 * @throws ConfigurationError for an unusable key or setting
 * @example
 * import { rye } from "@till402/providers/rye"
 * import { zinc } from "@till402/providers/zinc"
 *
 * const { generalMarketplace, quote } = rye({ apiKey: process.env["RYE_API_KEY"]! })
 * const { find, place, placesOnce, status } = zinc({ apiKey: process.env["ZINC_API_KEY"]! })
 * const fulfilment = { generalMarketplace, quote, place, placesOnce, find, status }
 */
export const zinc = ({ apiKey, fetch, webhookSecret, ...options }: ZincOptions): ZincFulfilment =>
  toFulfilment(
    makeWithFetch(
      makeParts({
        ...options,
        apiKey: Redacted.make(apiKey),
        webhookSecret: webhookSecret === undefined ? undefined : Redacted.make(webhookSecret)
      }),
      fetch
    )
  )
