import type {
  ConfigurationError,
  FulfilmentStatus,
  ProductPage,
  ProductQuery,
  QuotedOffer
} from "@till402/core"
import { Fulfilment, type Marketplace } from "@till402/core/effect"
import { type Config, Context, Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import { fulfilmentPort } from "../fulfilment/FulfilmentPort.ts"
import { type FailedPlacement, withoutOutcome } from "../fulfilment/PlacementOutcome.ts"
import { openQuotes } from "../fulfilment/OpenQuotes.ts"
import type { RefundNote } from "../fulfilment/RefundNote.ts"
import { filledPages } from "../listing/FilledPages.ts"
import { makeUpstream, toPortError, type UpstreamFault, type UpstreamUsage } from "../upstream/index.ts"
import { unpaid } from "../upstream/UnpaidCalls.ts"
import { makeSearch } from "./Catalogue.ts"
import type { WooCommerceError } from "./Errors.ts"
import {
  configure,
  optionsFromConfig,
  type WooCommerceLayerOptions,
  type WooCommerceSettings
} from "./Options.ts"
import { Orders } from "./Orders.ts"
import { makePlacing, type WooCommercePlacement } from "./Placing.ts"
import { makeQuoting, removeUnpaid } from "./Quoting.ts"

/** Fulfilment by WooCommerce, for programs in Effect. */
export interface WooCommerceClient {
  readonly quote: (request: OrderRequest) => Effect.Effect<QuotedOffer, WooCommerceError>
  readonly place: (
    placement: WooCommercePlacement
  ) => Effect.Effect<{ readonly reference: string }, WooCommerceError>
  /** Returns the reference of an order that is paid in the shop; `undefined` if it is not. */
  readonly find: (orderId: string, reference: string) => Effect.Effect<string | null, WooCommerceError>
  readonly status: (reference: string) => Effect.Effect<FulfilmentStatus, WooCommerceError>
  /** Cancels an order that was not sent. `note`: for the shop's staff. */
  readonly cancel: (reference: string, note?: string) => Effect.Effect<void, WooCommerceError>
  /** Adds a refund to the order's notes, once for each transaction. */
  readonly noteRefund: (reference: string, refund: RefundNote) => Effect.Effect<void, WooCommerceError>
  /** Search of the shop's goods. */
  readonly marketplace: Marketplace
  readonly usage: () => UpstreamUsage
}

export interface WooCommerceParts extends WooCommerceClient {
  /** Where the shop delivers. */
  readonly countries: ReadonlyArray<string>
  readonly search: (query: ProductQuery) => Effect.Effect<ProductPage, UpstreamFault>
  readonly attempt: (
    placement: WooCommercePlacement
  ) => Effect.Effect<{ readonly reference: string }, FailedPlacement<WooCommerceError>>
}

/** Time limit of a search that takes further pages, below the eight seconds of a marketplace. */
const searchMillis = 7_500

export const makeParts = Effect.fnUntraced(function* (
  options: WooCommerceLayerOptions
): Effect.fn.Return<WooCommerceParts, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options)
  const upstream = yield* makeUpstream({ ...options, name: "woocommerce" })
  const orders = new Orders(upstream, settings)
  const remove = removeUnpaid(orders)
  const quotes = openQuotes(settings, {
    remove,
    removeOld: remove,
    listOld: orders.listOld
  })
  const quoting = makeQuoting(orders, quotes, settings)
  const { attempt, cancel, find, noteRefund, status } = makePlacing(orders, quotes)
  const search = filledPages(makeSearch(upstream, settings), searchMillis)
  return {
    search,
    countries: [...settings.countries],
    marketplace: {
      source: "marketplace_b",
      search: (query) => Effect.mapError(search(query), (fault) => toPortError("marketplace", fault))
    },
    quote: Effect.fn("WooCommerce.quote")((request: OrderRequest) => unpaid(quoting(request))),
    place: Effect.fn("WooCommerce.place")((placement: WooCommercePlacement) =>
      withoutOutcome(attempt(placement))
    ),
    attempt: Effect.fn("WooCommerce.attempt")(attempt),
    find: Effect.fn("WooCommerce.find")(find),
    status: Effect.fn("WooCommerce.status")(status),
    cancel: Effect.fn("WooCommerce.cancel")(cancel),
    noteRefund: Effect.fn("WooCommerce.noteRefund")(noteRefund),
    usage: upstream.usage
  }
})

const makeServices = Effect.fnUntraced(function* (options: WooCommerceLayerOptions) {
  const { attempt, countries, search: _search, ...client } = yield* makeParts(options)
  const port = fulfilmentPort(
    { ...client, attempt },
    { countries, placesOnce: true, toHostError: (error) => error }
  )
  return Context.make(WooCommerce, client).pipe(Context.add(Fulfilment, port))
})

/**
 * A WooCommerce shop as the `Fulfilment` of an Effect host.
 *
 * @example
 * import { WooCommerce } from "@till402/providers/woocommerce"
 * import { Layer, Redacted } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const fulfilment = WooCommerce.layer({
 *   storeUrl: "https://shop.example",
 *   consumerKey: Redacted.make("ck_…"),
 *   consumerSecret: Redacted.make("cs_…"),
 *   shipping: { cents: 599 }
 * }).pipe(Layer.provide(FetchHttpClient.layer))
 */
export class WooCommerce extends Context.Service<WooCommerce, WooCommerceClient>()(
  "@till402/providers/WooCommerce"
) {
  static readonly layer = (
    options: WooCommerceLayerOptions
  ): Layer.Layer<WooCommerce | Fulfilment, ConfigurationError, HttpClient.HttpClient> =>
    Layer.effectContext(makeServices(options))

  /**
   * Reads `WOOCOMMERCE_CONSUMER_KEY`, `WOOCOMMERCE_CONSUMER_SECRET` and, unless they are in `defaults`,
   * `WOOCOMMERCE_STORE_URL` and `WOOCOMMERCE_SHIPPING_CENTS`; if set, `WOOCOMMERCE_COUNTRIES` (separated by commas),
   * `WOOCOMMERCE_CURRENCY`, `WOOCOMMERCE_QUOTE_LIFETIME_MILLIS`, `WOOCOMMERCE_MAX_OPEN_QUOTES` and the settings of all
   * providers, such as `WOOCOMMERCE_TIMEOUT_MILLIS`. They take precedence over `defaults`.
   */
  static readonly layerConfig = (
    defaults: Partial<WooCommerceSettings> = {}
  ): Layer.Layer<WooCommerce | Fulfilment, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =>
    Layer.effectContext(Effect.flatMap(optionsFromConfig(defaults), makeServices))
}
