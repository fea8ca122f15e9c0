import type { ConfigurationError, FulfilmentStatus, QuotedOffer } from "@till402/core"
import { Fulfilment } from "@till402/core/effect"
import { Clock, type Config, Context, Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import { amazonOfUnitedStates, type OrderRequest } from "../fulfilment/Buyer.ts"
import { fulfilmentPort } from "../fulfilment/FulfilmentPort.ts"
import { type FailedPlacement, withoutOutcome } from "../fulfilment/PlacementOutcome.ts"
import { Journals } from "../journals/Journals.ts"
import { fieldsOf } from "../listing/Fields.ts"
import { makeUpstream, rateLimiter, type UpstreamUsage, withDefaults } from "../upstream/index.ts"
import { unpaid } from "../upstream/UnpaidCalls.ts"
import { makeBalanceCheck } from "./Balance.ts"
import { makeBuyers } from "./Buyers.ts"
import { configure, optionsFromConfig, type RyeLayerOptions } from "./Config.ts"
import { IntentNotPlaceable, type RyeError, toHostError } from "./Errors.ts"
import { wordOf } from "./FailureReason.ts"
import { IntentBudget } from "./IntentBudget.ts"
import { OrdersAtOnce } from "./OrdersAtOnce.ts"
import { idPattern } from "./IntentDocument.ts"
import { type Intents, makeIntents } from "./Intents.ts"
import type { RyeSettings } from "./Options.ts"
import type { PlacementJournal } from "./PlacementJournal.ts"
import { makePlacing, type RyePlacement } from "./Placing.ts"
import { fulfilmentStatusOf } from "./Progress.ts"
import { makeQuoting } from "./Quoting.ts"
import { makeWebhook } from "./Webhook.ts"

/** Fulfilment by Rye, for programs in Effect. */
export interface RyeClient {
  readonly quote: (request: OrderRequest) => Effect.Effect<QuotedOffer, RyeError>
  readonly place: (placement: RyePlacement) => Effect.Effect<{ readonly reference: string }, RyeError>
  /**
   * Returns the reference of a placed order; `undefined` if it was not placed and nothing is in flight.
   * Without a durable journal, `reference` (the quote's) makes a lookup possible.
   */
  readonly find: (orderId: string, reference?: string) => Effect.Effect<string | null, RyeError>
  readonly status: (reference: string) => Effect.Effect<FulfilmentStatus, RyeError>
  readonly webhook: (request: Request) => Effect.Effect<Response>
  readonly usage: () => UpstreamUsage
}

/** States of an intent without an order. */
const unplaced: ReadonlySet<string> = new Set([
  "retrieving_offer",
  "awaiting_confirmation",
  "awaiting_payment",
  "requires_action"
])

const makeStatus = (intents: Intents, atOnce: OrdersAtOnce) =>
  Effect.fnUntraced(function* (reference: string): Effect.fn.Return<FulfilmentStatus, RyeError> {
    if (!idPattern.test(reference)) return yield* new IntentNotPlaceable({ code: "reference" })
    const intent = yield* intents.get(reference)
    if (intent.state !== "placing_order") atOnce.leave(reference)
    if (intent.state === "failed") {
      return { status: "failed", reason: wordOf(fieldsOf(intent.failureReason)["code"]), shipments: [] }
    }
    if (unplaced.has(intent.state)) return yield* new IntentNotPlaceable({ code: intent.state })
    // Being placed. Unknown states count as placed.
    if (intent.state !== "completed") return { status: "placed", shipments: [] }
    const shipments = yield* intents.shipments(reference)
    const nowMillis = yield* Clock.currentTimeMillis
    const progress = fulfilmentStatusOf(shipments, undefined, nowMillis)
    // A shipped order can't be canceled, which saves a request.
    return progress.status === "placed"
      ? fulfilmentStatusOf(shipments, yield* intents.cancellation(reference), nowMillis)
      : progress
  })

/** The client, with placements whose failures include the outcome for the order. */
export interface RyeParts extends RyeClient {
  readonly attempt: (
    placement: RyePlacement
  ) => Effect.Effect<{ readonly reference: string }, FailedPlacement<RyeError>>
}

export const makeParts = Effect.fnUntraced(function* (
  options: RyeLayerOptions,
  placements: PlacementJournal
): Effect.fn.Return<RyeParts, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options)
  const upstream = yield* makeUpstream({
    // Placing makes three calls, which must fit into the till's 20 seconds.
    ...withDefaults({ timeoutMillis: 5_000, deadlineMillis: 6_000 }, options),
    name: "rye"
  })
  const perSecond = (requests: number) => rateLimiter({ requests, perMillis: 1_000 })
  const intents = makeIntents(upstream, settings, {
    mutations: perSecond(settings.mutationsPerSecond),
    reads: perSecond(settings.readsPerSecond),
    lookups: perSecond(settings.lookupsPerSecond)
  })
  const buyers = makeBuyers(placements, settings.apiKey)
  const { intentsForBuyers: forBuyers, intentsPerDay: perDay } = settings
  const quoting = makeQuoting(intents, settings, {
    budget: new IntentBudget({ perDay, forBuyers }),
    buyers,
    ensureCovered: makeBalanceCheck(intents.balance)
  })
  const atOnce = new OrdersAtOnce(settings.ordersAtOnce)
  const placing = makePlacing(intents, placements, { buyers, atOnce })
  const status = makeStatus(intents, atOnce)
  const webhook = makeWebhook(intents, settings)
  return {
    quote: Effect.fn("Rye.quote")((request: OrderRequest) => unpaid(quoting(request))),
    place: Effect.fn("Rye.place")((placement: RyePlacement) => withoutOutcome(placing.place(placement))),
    attempt: Effect.fn("Rye.attempt")(placing.place),
    find: Effect.fn("Rye.find")(placing.find),
    status: Effect.fn("Rye.status")(status),
    webhook: Effect.fn("Rye.webhook")(webhook),
    usage: upstream.usage
  }
})

const makeServices = Effect.fnUntraced(function* (options: RyeLayerOptions) {
  const { placements } = yield* Journals
  const { attempt, ...client } = yield* makeParts(options, placements)
  // What Rye does with an idempotency key is not documented. Its intents can be queried instead.
  const port = fulfilmentPort(
    { ...client, attempt },
    {
      generalMarketplace: amazonOfUnitedStates,
      placesOnce: false,
      toHostError
    }
  )
  return Context.make(Rye, client).pipe(Context.add(Fulfilment, port))
})

/**
 * Rye as the `Fulfilment` of an Effect host. It needs `Journals`. The service itself has `webhook` and `usage`.
 *
 * @example
 * import { SqliteJournals } from "@till402/providers/journals"
 * import { Rye } from "@till402/providers/rye"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const fulfilment = Rye.layerConfig().pipe(
 *   Layer.provide([FetchHttpClient.layer, SqliteJournals.layer({ filename: "till.sqlite" })])
 * )
 */
export class Rye extends Context.Service<Rye, RyeClient>()("@till402/providers/Rye") {
  static readonly layer = (
    options: RyeLayerOptions
  ): Layer.Layer<Rye | Fulfilment, ConfigurationError, HttpClient.HttpClient | Journals> =>
    Layer.effectContext(makeServices(options))

  /**
   * Reads `RYE_API_KEY` and, if set, `RYE_WEBHOOK_SECRET`, `RYE_DEFAULT_PHONE`,
   * `RYE_OFFER_RETRIEVAL_EFFORT`, `RYE_QUOTE_TIMEOUT_MILLIS`, `RYE_POLL_MILLIS`, `RYE_MUTATIONS_PER_SECOND`,
   * `RYE_READS_PER_SECOND`, `RYE_LOOKUPS_PER_SECOND`, `RYE_INTENTS_PER_DAY`, `RYE_INTENTS_FOR_BUYERS`,
   * `RYE_BASE_URL` and the settings of all providers, such as `RYE_TIMEOUT_MILLIS`. They take precedence
   * over `defaults`.
   */
  static readonly layerConfig = (
    defaults: RyeSettings = {}
  ): Layer.Layer<
    Rye | Fulfilment,
    Config.ConfigError | ConfigurationError,
    HttpClient.HttpClient | Journals
  > => Layer.effectContext(Effect.flatMap(optionsFromConfig(defaults), makeServices))
}
