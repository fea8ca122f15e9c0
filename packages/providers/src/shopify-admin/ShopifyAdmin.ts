import {
  type ConfigurationError,
  type FulfilmentStatus,
  type ProductPage,
  type ProductQuery,
  type QuotedOffer,
  UpstreamFailed
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
import { makeAccessToken } from "../shopify/AccessToken.ts"
import { isUpstreamFault, makeUpstream, toPortError, type UpstreamUsage } from "../upstream/index.ts"
import { unpaid } from "../upstream/UnpaidCalls.ts"
import { type AdminToken, makeAdminApi } from "./AdminApi.ts"
import { makeSearch } from "./Catalogue.ts"
import { makeDrafts } from "./Drafts.ts"
import { type AdminFault, type ShopifyAdminError, ShopRefused, toHostError } from "./Errors.ts"
import {
  type AdminCredentials,
  configure,
  optionsFromConfig,
  type ShopifyAdminLayerOptions,
  type ShopifyAdminSettings
} from "./Options.ts"
import { makeOrders } from "./Orders.ts"
import { Placing, type ShopifyAdminPlacement } from "./Placing.ts"
import { makeQuoting } from "./Quoting.ts"

/** Fulfilment by a Shopify shop, for programs in Effect. */
export interface ShopifyAdminClient {
  readonly quote: (request: OrderRequest) => Effect.Effect<QuotedOffer, ShopifyAdminError>
  /** Returns the id of the shop's order. */
  readonly place: (
    placement: ShopifyAdminPlacement
  ) => Effect.Effect<{ readonly reference: string }, ShopifyAdminError>
  /** Returns the id of the order that a quote was placed as; `undefined` if it was not. */
  readonly find: (orderId: string, reference: string) => Effect.Effect<string | null, ShopifyAdminError>
  readonly status: (reference: string) => Effect.Effect<FulfilmentStatus, ShopifyAdminError>
  /** Cancels an order and restocks its goods. `note`: for the shop's staff, up to 255 characters. */
  readonly cancel: (reference: string, note?: string) => Effect.Effect<void, ShopifyAdminError>
  /** Adds a refund to the order's note, once for each transaction. */
  readonly noteRefund: (reference: string, refund: RefundNote) => Effect.Effect<void, ShopifyAdminError>
  /** Search of the shop's goods. */
  readonly marketplace: Marketplace
  readonly usage: () => UpstreamUsage
}

export interface ShopifyAdminParts extends ShopifyAdminClient {
  readonly search: (query: ProductQuery) => Effect.Effect<ProductPage, AdminFault>
  readonly attempt: (
    placement: ShopifyAdminPlacement
  ) => Effect.Effect<{ readonly reference: string }, FailedPlacement<ShopifyAdminError>>
}

/** Time limit of a search that takes further pages, below the eight seconds of a marketplace. */
const searchMillis = 7_500

const tokenOf = Effect.fnUntraced(function* (
  options: ShopifyAdminLayerOptions,
  credentials: AdminCredentials
): Effect.fn.Return<AdminToken, never, HttpClient.HttpClient> {
  if (credentials._tag === "Token") {
    return { get: Effect.succeed(credentials.accessToken), drop: () => Effect.void }
  }
  const upstream = yield* makeUpstream({ ...options, name: "shopify-admin-token" })
  const { drop, get } = makeAccessToken(upstream, credentials)
  return {
    drop,
    get: Effect.mapError(get, (fault) =>
      fault._tag === "CatalogueRefused" ? new ShopRefused({ code: fault.code }) : fault
    )
  }
})

/** A refusal is a 502: waiting doesn't fix a request or a missing right. */
const toMarketplaceError = (fault: AdminFault) =>
  isUpstreamFault(fault)
    ? toPortError("marketplace", fault)
    : new UpstreamFailed({ port: "marketplace", cause: fault })

export const makeParts = Effect.fnUntraced(function* (
  options: ShopifyAdminLayerOptions
): Effect.fn.Return<ShopifyAdminParts, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options)
  const upstream = yield* makeUpstream({ ...options, name: "shopify-admin" })
  const token = yield* tokenOf(options, settings.credentials)
  const api = makeAdminApi({ upstream, endpoint: settings.endpoint, token })
  const drafts = makeDrafts(api)
  const quotes = openQuotes(settings, {
    remove: (id) => drafts.remove(id, (orderId) => orderId === undefined),
    removeOld: (id) => drafts.remove(id, () => true),
    listOld: drafts.listOld
  })
  const quoting = makeQuoting({ api, drafts, quotes }, settings)
  const placing = new Placing(drafts, quotes)
  const { cancel, noteRefund, status } = makeOrders(api)
  const search = filledPages(makeSearch(api, settings), searchMillis)
  return {
    search,
    marketplace: {
      source: "marketplace_b",
      search: (query) => Effect.mapError(search(query), toMarketplaceError)
    },
    quote: Effect.fn("ShopifyAdmin.quote")((request: OrderRequest) => unpaid(quoting(request))),
    place: Effect.fn("ShopifyAdmin.place")((placement: ShopifyAdminPlacement) =>
      withoutOutcome(placing.attempt(placement))
    ),
    attempt: Effect.fn("ShopifyAdmin.attempt")((placement: ShopifyAdminPlacement) =>
      placing.attempt(placement)
    ),
    find: Effect.fn("ShopifyAdmin.find")(placing.find),
    status: Effect.fn("ShopifyAdmin.status")(status),
    cancel: Effect.fn("ShopifyAdmin.cancel")(cancel),
    noteRefund: Effect.fn("ShopifyAdmin.noteRefund")(noteRefund),
    usage: upstream.usage
  }
})

const makeServices = Effect.fnUntraced(function* (options: ShopifyAdminLayerOptions) {
  const { attempt, search: _search, ...client } = yield* makeParts(options)
  const port = fulfilmentPort({ ...client, attempt }, { placesOnce: true, toHostError })
  return Context.make(ShopifyAdmin, client).pipe(Context.add(Fulfilment, port))
})

/**
 * A Shopify shop of your own as the `Fulfilment` of an Effect host.
 *
 * @example
 * import { ShopifyAdmin } from "@till402/providers/shopify-admin"
 * import { Layer, Redacted } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const fulfilment = ShopifyAdmin.layer({
 *   shop: "northwind.myshopify.com",
 *   accessToken: Redacted.make("shpat_…")
 * }).pipe(Layer.provide(FetchHttpClient.layer))
 */
export class ShopifyAdmin extends Context.Service<ShopifyAdmin, ShopifyAdminClient>()(
  "@till402/providers/ShopifyAdmin"
) {
  static readonly layer = (
    options: ShopifyAdminLayerOptions
  ): Layer.Layer<ShopifyAdmin | Fulfilment, ConfigurationError, HttpClient.HttpClient> =>
    Layer.effectContext(makeServices(options))

  /**
   * Reads `SHOPIFY_ADMIN_SHOP` unless it is in `defaults`; `SHOPIFY_ADMIN_ACCESS_TOKEN`, or
   * `SHOPIFY_ADMIN_CLIENT_ID` with `SHOPIFY_ADMIN_CLIENT_SECRET`; if set, `SHOPIFY_ADMIN_SHIPPING_CENTS`,
   * `SHOPIFY_ADMIN_QUOTE_LIFETIME_MILLIS`, `SHOPIFY_ADMIN_MAX_OPEN_QUOTES`, `SHOPIFY_ADMIN_API_VERSION`,
   * `SHOPIFY_ADMIN_BASE_URL` and the settings of all providers, such as `SHOPIFY_ADMIN_TIMEOUT_MILLIS`. They take precedence over `defaults`.
   */
  static readonly layerConfig = (
    defaults: Partial<ShopifyAdminSettings> = {}
  ): Layer.Layer<ShopifyAdmin | Fulfilment, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =>
    Layer.effectContext(Effect.flatMap(optionsFromConfig(defaults), makeServices))
}
