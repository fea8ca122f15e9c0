import type { ConfigurationError, FulfilmentStatus, QuotedOffer } from "@till402/core"
import { Fulfilment } from "@till402/core/effect"
import { type Config, Context, Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import { amazonOfUnitedStates, type OrderRequest } from "../fulfilment/Buyer.ts"
import { fulfilmentPort } from "../fulfilment/FulfilmentPort.ts"
import { type FailedPlacement, withoutOutcome } from "../fulfilment/PlacementOutcome.ts"
import { makeUpstream, type UpstreamUsage, withDefaults } from "../upstream/index.ts"
import { unpaid } from "../upstream/UnpaidCalls.ts"
import { configure, optionsFromConfig, type ZincLayerOptions } from "./Config.ts"
import { ReferenceMalformed, toHostError, type ZincError } from "./Errors.ts"
import { makeEstimating } from "./Estimate.ts"
import type { ZincSettings } from "./Options.ts"
import { idPattern } from "./OrderDocument.ts"
import { makeOrders } from "./Orders.ts"
import { makePlacing, type ZincPlacement } from "./Placing.ts"
import { fulfilmentStatusOf } from "./Progress.ts"
import { makeWebhook } from "./Webhook.ts"

/** Fulfilment by Zinc, for programs in Effect. */
export interface ZincClient {
  readonly quote: (request: OrderRequest) => Effect.Effect<QuotedOffer, ZincError>
  readonly place: (placement: ZincPlacement) => Effect.Effect<{ readonly reference: string }, ZincError>
  /** Returns the reference of a placed order; `undefined` if it was not placed and nothing is in flight. */
  readonly find: (orderId: string) => Effect.Effect<string | null, ZincError>
  readonly status: (reference: string) => Effect.Effect<FulfilmentStatus, ZincError>
  readonly webhook: (request: Request) => Effect.Effect<Response>
  readonly usage: () => UpstreamUsage
}

/** The client, with placements whose failures include the outcome for the order. */
export interface ZincParts extends ZincClient {
  readonly attempt: (
    placement: ZincPlacement
  ) => Effect.Effect<{ readonly reference: string }, FailedPlacement<ZincError>>
}

export const makeParts = Effect.fnUntraced(function* (
  options: ZincLayerOptions
): Effect.fn.Return<ZincParts, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options)
  // Zinc may list all orders of an account in one response.
  const limits = { timeoutMillis: 5_000, deadlineMillis: 8_000, maxResponseBytes: 16 * 1024 * 1024 }
  const upstream = yield* makeUpstream({ ...withDefaults(limits, options), name: "zinc" })
  const orders = makeOrders(upstream, settings)
  const estimating = makeEstimating(orders, settings)
  const placing = makePlacing(orders, settings)
  const webhook = makeWebhook(settings)
  return {
    quote: Effect.fn("Zinc.quote")((request: OrderRequest) => unpaid(estimating(request))),
    place: Effect.fn("Zinc.place")((placement: ZincPlacement) => withoutOutcome(placing.place(placement))),
    attempt: Effect.fn("Zinc.attempt")(placing.place),
    find: Effect.fn("Zinc.find")(placing.find),
    status: Effect.fn("Zinc.status")((reference: string): Effect.Effect<FulfilmentStatus, ZincError> =>
      idPattern.test(reference)
        ? Effect.map(orders.get(reference), fulfilmentStatusOf)
        : Effect.fail(new ReferenceMalformed())
    ),
    webhook: Effect.fn("Zinc.webhook")(webhook),
    usage: upstream.usage
  }
})

const makeServices = Effect.fnUntraced(function* (options: ZincLayerOptions) {
  const { attempt, ...client } = yield* makeParts(options)
  const port = fulfilmentPort(
    { ...client, attempt },
    {
      generalMarketplace: amazonOfUnitedStates,
      placesOnce: true,
      toHostError
    }
  )
  return Context.make(Zinc, client).pipe(Context.add(Fulfilment, port))
})

/**
 * Zinc as the `Fulfilment` of an Effect host. The service itself has `webhook` and `usage`.
 *
 * @example
 * import { Zinc } from "@till402/providers/zinc"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const fulfilment = Zinc.layerConfig({
 *   allowance: { taxBasisPoints: 1_000, shippingCents: 0 }
 * }).pipe(Layer.provide(FetchHttpClient.layer))
 */
export class Zinc extends Context.Service<Zinc, ZincClient>()("@till402/providers/Zinc") {
  static readonly layer = (
    options: ZincLayerOptions
  ): Layer.Layer<Zinc | Fulfilment, ConfigurationError, HttpClient.HttpClient> =>
    Layer.effectContext(makeServices(options))

  /**
   * Reads `ZINC_API_KEY` and, if set, `ZINC_WEBHOOK_SECRET`, `ZINC_DEFAULT_PHONE`,
   * `ZINC_RETAILER_CREDENTIALS_ID`, `ZINC_QUOTE_LIFETIME_MILLIS`, `ZINC_ALLOWANCE_TAX_BASIS_POINTS` with
   * `ZINC_ALLOWANCE_SHIPPING_CENTS`, `ZINC_BASE_URL` and the settings of all providers, such as
   * `ZINC_TIMEOUT_MILLIS`. They take precedence over `defaults`.
   */
  static readonly layerConfig = (
    defaults: ZincSettings = {}
  ): Layer.Layer<Zinc | Fulfilment, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =>
    Layer.effectContext(Effect.flatMap(optionsFromConfig(defaults), makeServices))
}
