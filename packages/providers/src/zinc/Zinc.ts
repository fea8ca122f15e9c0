import type { ConfigurationError, FulfilmentStatus, QuotedOffer } from "@till402/core"
import { Context, Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import { type FailedPlacement, unjudged } from "../fulfilment/Placement.ts"
import { makeUpstream, type UpstreamUsage } from "../upstream/index.ts"
import { configure, type ZincLayerOptions } from "./Configured.ts"
import { ReferenceMalformed, type ZincError } from "./Errors.ts"
import { makeEstimating } from "./Estimate.ts"
import { idPattern } from "./OrderDocument.ts"
import { makeOrders } from "./Orders.ts"
import { makePlacing, type ZincPlacement } from "./Placing.ts"
import { progressOf } from "./Progress.ts"
import { makeWebhook } from "./Webhook.ts"

/** Fulfilment by Zinc, for programs in Effect. */
export interface ZincClient {
  readonly quote: (request: OrderRequest) => Effect.Effect<QuotedOffer, ZincError>
  readonly place: (placement: ZincPlacement) => Effect.Effect<{ readonly reference: string }, ZincError>
  /** The reference of a placed order; `undefined`: it was not placed, and nothing is on its way. */
  readonly find: (orderId: string) => Effect.Effect<string | undefined, ZincError>
  readonly status: (reference: string) => Effect.Effect<FulfilmentStatus, ZincError>
  readonly webhook: (request: Request) => Effect.Effect<Response>
  readonly usage: () => UpstreamUsage
}

/** Fulfilment by Zinc as a service. */
export class ZincService extends Context.Service<ZincService, ZincClient>()("@till402/providers/Zinc") {}

/** Zinc with what a failed attempt says of its order, for the plain functions. */
export interface ZincParts extends ZincClient {
  readonly attempt: (
    placement: ZincPlacement
  ) => Effect.Effect<{ readonly reference: string }, FailedPlacement<ZincError>>
}

export const makeParts = Effect.fnUntraced(function* (
  options: ZincLayerOptions
): Effect.fn.Return<ZincParts, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options)
  const upstream = yield* makeUpstream({
    timeoutMillis: 5_000,
    deadlineMillis: 8_000,
    // Zinc may list all orders of an account at once.
    maxAnswerBytes: 16 * 1024 * 1024,
    ...options,
    name: "zinc"
  })
  const orders = makeOrders(upstream, settings)
  const estimating = makeEstimating(orders, settings)
  const placing = makePlacing(orders, settings)
  const webhook = makeWebhook(settings)
  return {
    quote: Effect.fn("Zinc.quote")((request: OrderRequest) => estimating(request)),
    place: Effect.fn("Zinc.place")((placement: ZincPlacement) => unjudged(placing.place(placement))),
    attempt: Effect.fn("Zinc.place")((placement: ZincPlacement) => placing.place(placement)),
    find: Effect.fn("Zinc.find")((orderId: string) => placing.find(orderId)),
    status: Effect.fn("Zinc.status")((reference: string): Effect.Effect<FulfilmentStatus, ZincError> =>
      idPattern.test(reference)
        ? Effect.map(orders.get(reference), progressOf)
        : Effect.fail(new ReferenceMalformed())
    ),
    webhook: Effect.fn("Zinc.webhook")((request: Request) => webhook(request)),
    usage: upstream.usage
  }
})

/**
 * Zinc over the `HttpClient` at hand. Fails with a `ConfigurationError` for options that can't be used.
 */
export const make = (
  options: ZincLayerOptions
): Effect.Effect<ZincClient, ConfigurationError, HttpClient.HttpClient> =>
  Effect.map(makeParts(options), ({ attempt: _attempt, ...client }) => client)
