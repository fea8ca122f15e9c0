import type { ConfigurationError, FulfilmentStatus, QuotedOffer } from "@till402/core"
import { Context, Effect } from "effect"
import type { HttpClient } from "effect/http"
import { type FailedPlacement, unjudged } from "../fulfilment/Placement.ts"
import type { Treasury } from "../treasury/Treasury.ts"
import { makeUpstream, type UpstreamUsage } from "../upstream/index.ts"
import { configure, type CrossmintLayerOptions } from "./Configured.ts"
import type { CrossmintError } from "./Errors.ts"
import { makeOrders, type OrderRequest } from "./Orders.ts"
import { fromTreasury } from "./Paymaster.ts"
import { type CrossmintPlacement, makePaying } from "./Paying.ts"
import { progressOf } from "./Progress.ts"
import { isPaid } from "./Quote.ts"
import { makeQuoting } from "./Quoting.ts"

/** Fulfilment by Crossmint, for programs in Effect. */
export interface CrossmintClient {
  readonly quote: (request: OrderRequest) => Effect.Effect<QuotedOffer, CrossmintError>
  readonly place: (
    placement: CrossmintPlacement
  ) => Effect.Effect<{ readonly reference: string }, CrossmintError>
  /**
   * The reference of a paid order; `undefined`: it was not paid, and nothing is on its way. A payment that was begun
   * is brought to its end on the way: sent where it was not, told where Crossmint has not seen it.
   */
  readonly find: (orderId: string) => Effect.Effect<string | undefined, CrossmintError>
  readonly status: (reference: string) => Effect.Effect<FulfilmentStatus, CrossmintError>
  readonly usage: () => UpstreamUsage
}

/** Crossmint with what a failed attempt says of its order, for the plain functions. */
export interface CrossmintParts extends CrossmintClient {
  readonly attempt: (
    placement: CrossmintPlacement
  ) => Effect.Effect<{ readonly reference: string }, FailedPlacement<CrossmintError>>
}

/** Fulfilment by Crossmint as a service. */
export class CrossmintService extends Context.Service<CrossmintService, CrossmintClient>()(
  "@till402/providers/Crossmint"
) {}

export const makeParts = Effect.fnUntraced(function* (
  options: CrossmintLayerOptions & { readonly treasury: Treasury }
): Effect.fn.Return<CrossmintParts, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options)
  // A quote takes its time: Crossmint visits a shop for it.
  const upstream = yield* makeUpstream({
    timeoutMillis: 12_000,
    deadlineMillis: 15_000,
    ...options,
    name: "crossmint"
  })
  const orders = makeOrders(upstream, settings)
  const treasury = fromTreasury(options.treasury)
  const quoting = makeQuoting(orders, treasury, settings)
  const paying = makePaying(orders, treasury, settings, quoting)
  return {
    quote: Effect.fn("Crossmint.quote")((request: OrderRequest) =>
      Effect.map(quoting(request), ({ offer }) => offer)
    ),
    place: Effect.fn("Crossmint.place")((placement: CrossmintPlacement) => unjudged(paying.place(placement))),
    attempt: Effect.fn("Crossmint.place")((placement: CrossmintPlacement) => paying.place(placement)),
    find: Effect.fn("Crossmint.find")((orderId: string) => paying.find(orderId)),
    status: Effect.fn("Crossmint.status")(function* (reference: string) {
      const order = yield* orders.get(reference)
      return progressOf(order, isPaid(order) ? yield* orders.packages(reference) : [])
    }),
    usage: upstream.usage
  }
})

/**
 * Crossmint over the `HttpClient` at hand. Fails with a `ConfigurationError` for options that can't be used.
 */
export const makeCrossmint = (
  options: CrossmintLayerOptions & { readonly treasury: Treasury }
): Effect.Effect<CrossmintClient, ConfigurationError, HttpClient.HttpClient> =>
  Effect.map(makeParts(options), ({ attempt: _attempt, ...client }) => client)
