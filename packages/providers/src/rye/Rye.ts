import type { ConfigurationError, FulfilmentStatus, QuotedOffer } from "@till402/core"
import { Context, Effect } from "effect"
import type { HttpClient } from "effect/http"
import { fieldsOf } from "../listing/fields.ts"
import { makeUpstream, paced, type UpstreamUsage } from "../upstream/index.ts"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import { type FailedPlacement, unjudged } from "../fulfilment/Placement.ts"
import { configure, type RyeLayerOptions } from "./Configured.ts"
import { IntentNotPlaceable, type RyeError } from "./Errors.ts"
import { wordOf } from "./FailureReason.ts"
import { idPattern } from "./IntentDocument.ts"
import { type Intents, makeIntents } from "./Intents.ts"
import { makePlacing, type RyePlacement } from "./Placing.ts"
import { progressOf } from "./Progress.ts"
import { makeQuoting } from "./Quoting.ts"
import { makeWebhook } from "./Webhook.ts"

/** Fulfilment by Rye, for programs in Effect. */
export interface RyeClient {
  readonly quote: (request: OrderRequest) => Effect.Effect<QuotedOffer, RyeError>
  readonly place: (placement: RyePlacement) => Effect.Effect<{ readonly reference: string }, RyeError>
  /**
   * The reference of a placed order; `undefined`: it was not placed, and nothing is on its way.
   * `reference`, the quote's, helps where no journal is kept.
   */
  readonly find: (orderId: string, reference?: string) => Effect.Effect<string | undefined, RyeError>
  readonly status: (reference: string) => Effect.Effect<FulfilmentStatus, RyeError>
  readonly webhook: (request: Request) => Effect.Effect<Response>
  readonly usage: () => UpstreamUsage
}

/** Fulfilment by Rye as a service. */
export class RyeService extends Context.Service<RyeService, RyeClient>()("@till402/providers/Rye") {}

/** States of an intent that no order was placed by. */
const unplaced: ReadonlySet<string> = new Set([
  "retrieving_offer",
  "awaiting_confirmation",
  "awaiting_payment",
  "requires_action"
])

const makeStatus = (intents: Intents) =>
  Effect.fnUntraced(function* (reference: string): Effect.fn.Return<FulfilmentStatus, RyeError> {
    if (!idPattern.test(reference)) return yield* new IntentNotPlaceable({ code: "reference" })
    const intent = yield* intents.get(reference)
    if (intent.state === "failed") {
      return { status: "failed", reason: wordOf(fieldsOf(intent.failureReason)["code"]), shipments: [] }
    }
    if (unplaced.has(intent.state)) return yield* new IntentNotPlaceable({ code: intent.state })
    // On its way to be completed; a state that is new means no more than that.
    if (intent.state !== "completed") return { status: "placed", shipments: [] }
    const shipments = yield* intents.shipments(reference)
    const progress = progressOf(shipments, undefined)
    // What was shipped can't be cancelled any more, so that is one request less.
    return progress.status === "placed"
      ? progressOf(shipments, yield* intents.cancellation(reference))
      : progress
  })

/** Rye with what a failed attempt says of its order, for the plain functions. */
export interface RyeParts extends RyeClient {
  readonly attempt: (
    placement: RyePlacement
  ) => Effect.Effect<{ readonly reference: string }, FailedPlacement<RyeError>>
}

export const makeParts = Effect.fnUntraced(function* (
  options: RyeLayerOptions
): Effect.fn.Return<RyeParts, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options)
  // Three calls of an order's placing stay below the till's 20 seconds.
  const upstream = yield* makeUpstream({
    timeoutMillis: 5_000,
    deadlineMillis: 6_000,
    ...options,
    name: "rye",
    limiter: paced({ requests: settings.requestsPerSecond, perMillis: 1_000 })
  })
  const intents = makeIntents(upstream, settings)
  const quoting = makeQuoting(intents, settings)
  const placing = makePlacing(intents, settings.journal)
  const status = makeStatus(intents)
  const webhook = makeWebhook(intents, settings)
  return {
    quote: Effect.fn("Rye.quote")((request: OrderRequest) => quoting(request)),
    place: Effect.fn("Rye.place")((placement: RyePlacement) => unjudged(placing.place(placement))),
    attempt: Effect.fn("Rye.place")((placement: RyePlacement) => placing.place(placement)),
    find: Effect.fn("Rye.find")((orderId: string, reference?: string) => placing.find(orderId, reference)),
    status: Effect.fn("Rye.status")((reference: string) => status(reference)),
    webhook: Effect.fn("Rye.webhook")((request: Request) => webhook(request)),
    usage: upstream.usage
  }
})

/**
 * Rye over the `HttpClient` at hand. Fails with a `ConfigurationError` for options that can't be used.
 */
export const make = (
  options: RyeLayerOptions
): Effect.Effect<RyeClient, ConfigurationError, HttpClient.HttpClient> =>
  Effect.map(makeParts(options), ({ attempt: _attempt, ...client }) => client)
