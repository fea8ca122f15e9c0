import type { ConfigurationError, FulfilmentStatus, QuotedOffer } from "@till402/core"
import { Fulfilment } from "@till402/core/effect"
import { type Config, Context, Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import { fulfilmentPort } from "../fulfilment/FulfilmentPort.ts"
import { type FailedPlacement, withoutOutcome } from "../fulfilment/PlacementOutcome.ts"
import { Treasury, type TreasuryClient } from "../treasury/Treasury.ts"
import { makeUpstream, type UpstreamUsage, withDefaults } from "../upstream/index.ts"
import { unpaid } from "../upstream/UnpaidCalls.ts"
import { configure, type CrossmintLayerOptions, optionsFromConfig } from "./Config.ts"
import { type CrossmintError, toHostError } from "./Errors.ts"
import type { CrossmintSettings } from "./Options.ts"
import { makeOrders } from "./Orders.ts"
import { type CrossmintPlacement, makePaying } from "./Paying.ts"
import { fulfilmentStatusOf } from "./Progress.ts"
import { isPaid } from "./Quote.ts"
import { makeQuoting } from "./Quoting.ts"

/** Fulfilment by Crossmint, for programs in Effect. */
export interface CrossmintClient {
  readonly quote: (request: OrderRequest) => Effect.Effect<QuotedOffer, CrossmintError>
  readonly place: (
    placement: CrossmintPlacement
  ) => Effect.Effect<{ readonly reference: string }, CrossmintError>
  /**
   * Returns the reference of a paid order; `undefined` if it was not paid and nothing is in flight.
   * Completes a payment that was begun: sends its transaction, and reports it to Crossmint. Fails with `OtherPayment`
   * if another payment bought `reference`, the quote's.
   */
  readonly find: (orderId: string, reference?: string) => Effect.Effect<string | undefined, CrossmintError>
  readonly status: (reference: string) => Effect.Effect<FulfilmentStatus, CrossmintError>
  readonly usage: () => UpstreamUsage
}

/** The client, with placements whose failures include the outcome for the order. */
export interface CrossmintParts extends CrossmintClient {
  readonly attempt: (
    placement: CrossmintPlacement
  ) => Effect.Effect<{ readonly reference: string }, FailedPlacement<CrossmintError>>
}

export const makeParts = Effect.fnUntraced(function* (
  options: CrossmintLayerOptions,
  treasury: TreasuryClient
): Effect.fn.Return<CrossmintParts, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options, treasury)
  // Quoting takes seconds: Crossmint visits a shop.
  const limits = withDefaults({ timeoutMillis: 12_000, deadlineMillis: 15_000 }, options)
  const upstream = yield* makeUpstream({ ...limits, name: "crossmint" })
  const orders = makeOrders(upstream, settings)
  const quoting = makeQuoting(orders, treasury, settings)
  const paying = makePaying(orders, treasury, settings, quoting)
  return {
    quote: Effect.fn("Crossmint.quote")((request: OrderRequest) =>
      Effect.map(unpaid(quoting(request)), ({ offer }) => offer)
    ),
    place: Effect.fn("Crossmint.place")((placement: CrossmintPlacement) =>
      withoutOutcome(paying.place(placement))
    ),
    attempt: Effect.fn("Crossmint.attempt")((placement: CrossmintPlacement) => paying.place(placement)),
    find: Effect.fn("Crossmint.find")((orderId: string, reference?: string) =>
      paying.find(orderId, reference)
    ),
    status: Effect.fn("Crossmint.status")(function* (reference: string) {
      const order = yield* orders.get(reference)
      return fulfilmentStatusOf(order, isPaid(order) ? yield* orders.packages(reference) : [])
    }),
    usage: upstream.usage
  }
})

const makeServices = Effect.fnUntraced(function* (options: CrossmintLayerOptions) {
  const { attempt, ...client } = yield* makeParts(options, yield* Treasury)
  // No idempotency key is documented. The treasury's journal records what was paid.
  const port = fulfilmentPort(
    { ...client, attempt },
    { upstream: "crossmint", placesOnce: false, toHostError }
  )
  return Context.make(Crossmint, client).pipe(Context.add(Fulfilment, port))
})

/**
 * Crossmint as the `Fulfilment` of an Effect host. It needs a `Treasury`. The service itself has `usage`.
 *
 * @example
 * import { Crossmint } from "@till402/providers/crossmint"
 * import { SqliteJournals } from "@till402/providers/journals"
 * import { EvmTreasury } from "@till402/providers/treasury"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const fulfilment = Crossmint.layerConfig().pipe(
 *   Layer.provide(EvmTreasury.layerConfig({ network: "base" })),
 *   Layer.provide([FetchHttpClient.layer, SqliteJournals.layer({ filename: "till.sqlite" })])
 * )
 */
export class Crossmint extends Context.Service<Crossmint, CrossmintClient>()("@till402/providers/Crossmint") {
  static readonly layer = (
    options: CrossmintLayerOptions
  ): Layer.Layer<Crossmint | Fulfilment, ConfigurationError, HttpClient.HttpClient | Treasury> =>
    Layer.effectContext(makeServices(options))

  /**
   * Reads `CROSSMINT_API_KEY`, `CROSSMINT_PAYEES` (separated by commas) and, if set,
   * `CROSSMINT_PAYMENT_METHOD`, `CROSSMINT_LOCALE`, `CROSSMINT_RECEIPT_EMAIL`,
   * `CROSSMINT_QUOTE_TIMEOUT_MILLIS`, `CROSSMINT_POLL_MILLIS`, `CROSSMINT_BASE_URL` and the settings of all
   * providers, such as `CROSSMINT_TIMEOUT_MILLIS`. They take precedence over `defaults`.
   */
  static readonly layerConfig = (
    defaults: Partial<CrossmintSettings> = {}
  ): Layer.Layer<
    Crossmint | Fulfilment,
    Config.ConfigError | ConfigurationError,
    HttpClient.HttpClient | Treasury
  > => Layer.effectContext(Effect.flatMap(optionsFromConfig(defaults), makeServices))
}
