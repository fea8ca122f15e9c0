import type { ConfigurationError, MarketplaceOptions, ProductPage } from "@till402/core"
import { type Marketplace, UpstreamFailed } from "@till402/core/effect"
import { type Config, Context, Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import { filledPages } from "../listing/FilledPages.ts"
import {
  makeUpstream,
  rateLimiter,
  toPortError,
  toPromise,
  type Upstream,
  withDefaults
} from "../upstream/index.ts"
import { makeAccessToken } from "./AccessToken.ts"
import { profileHandler } from "./AgentProfile.ts"
import { type CatalogueClient, makeCatalogueClient } from "./CatalogueClient.ts"
import {
  configure,
  optionsFromConfig,
  type Shop,
  type ShopifyConfig,
  type ShopifyLayerOptions
} from "./Config.ts"
import type { CatalogueFault } from "./JsonRpc.ts"
import type { ShopifyExtras, ShopifyMarketplaceOptions, ShopifySettings } from "./Options.ts"
import { mergeStorefronts, type OnShopMissing } from "./Storefronts.ts"

/** Search of Shopify's shops: `marketplace_b` of a till, with its agent profile and its usage. */
export interface ShopifyMarketplace extends Marketplace<ProductPage>, ShopifyExtras {}

/** A search that fails with the catalogue's faults, before they become errors of a port. */
export interface ShopifyClient extends CatalogueClient, ShopifyExtras {}

const mcpPath = "/api/ucp/mcp"

/** Limits of one shop: a slow shop must not use up the eight seconds that the till allows a search. */
const shopLimits = { timeoutMillis: 4_000, deadlineMillis: 6_000 }

/** Time limit of a search that takes further pages, below the eight seconds as well. */
const fillMillis = 7_500

/** Makes the client of the global catalogue, or of several shops. */
export const makeShopifyClient = Effect.fnUntraced(function* (
  options: ShopifyLayerOptions
): Effect.fn.Return<ShopifyClient, ConfigurationError, HttpClient.HttpClient> {
  const configured = yield* configure(options)
  const { client, upstreams } = yield* configured.shops.length === 0
    ? globalCatalogue(options, configured)
    : shopCatalogues(options, configured)
  return {
    search: filledPages(client.search, fillMillis),
    profile: profileHandler(configured.ucpVersion),
    profilePath: configured.profilePath,
    usage: () => Object.fromEntries(upstreams.map(({ name, usage }) => [name, usage()]))
  }
})

interface Made {
  readonly client: CatalogueClient
  readonly upstreams: ReadonlyArray<Upstream>
}

const globalCatalogue = Effect.fnUntraced(function* (
  options: ShopifyLayerOptions,
  configured: ShopifyConfig
): Effect.fn.Return<Made, ConfigurationError, HttpClient.HttpClient> {
  const { baseUrl, credentials, market, requestsPerSecond, tokenUrl } = configured
  const limiter = rateLimiter({ requests: requestsPerSecond, perMillis: 1_000 })
  const upstream = yield* makeUpstream({ ...options, name: "shopify", limiter })
  const tokens =
    credentials === undefined ? undefined : yield* makeUpstream({ ...options, name: "shopify-token" })
  const client = makeCatalogueClient({
    ...configured,
    upstream,
    endpoint: `${baseUrl}${mcpPath}`,
    token:
      tokens === undefined || credentials === undefined
        ? undefined
        : makeAccessToken(tokens, { ...credentials, url: tokenUrl }),
    reading: { currency: market.currency }
  })
  return { client, upstreams: tokens === undefined ? [upstream] : [upstream, tokens] }
})

/** Reports names and codes only: a fault's message may be meant for the host alone. */
const missingReporter = ({ onShopMissing }: ShopifyLayerOptions): OnShopMissing =>
  onShopMissing === undefined
    ? (shop, reason) => Effect.logWarning("A shop is missing from a search", shop, reason)
    : (shop, reason) => Effect.sync(() => onShopMissing(shop, reason))

const shopCatalogues = Effect.fnUntraced(function* (
  options: ShopifyLayerOptions,
  configured: ShopifyConfig
): Effect.fn.Return<Made, ConfigurationError, HttpClient.HttpClient> {
  const limits = withDefaults(shopLimits, options)
  const { currency } = configured.market
  const made = yield* Effect.forEach(configured.shops, ({ name, origin }: Shop) =>
    Effect.map(
      makeUpstream({
        ...limits,
        name,
        limiter: rateLimiter({ requests: configured.requestsPerSecond, perMillis: 1_000 })
      }),
      (upstream) => ({
        name,
        upstream,
        client: makeCatalogueClient({
          ...configured,
          upstream,
          endpoint: `${origin}${mcpPath}`,
          token: undefined,
          selection: undefined,
          reading: { currency, shop: origin }
        })
      })
    )
  )
  return {
    client: mergeStorefronts(made, {
      timeoutMillis: limits.deadlineMillis ?? shopLimits.deadlineMillis,
      onShopMissing: missingReporter(options)
    }),
    upstreams: made.map(({ upstream }) => upstream)
  }
})

/** A refusal is a 502: waiting doesn't fix a request, a profile or credentials. */
const toMarketplaceError = (fault: CatalogueFault) =>
  fault._tag === "CatalogueRefused"
    ? new UpstreamFailed({ port: "marketplace", cause: fault })
    : toPortError("marketplace", fault)

/** The client as a marketplace of an Effect host. */
export const toMarketplace = ({ search, ...extras }: ShopifyClient): ShopifyMarketplace => ({
  ...extras,
  source: "marketplace_b",
  search: (query) => Effect.mapError(search(query), toMarketplaceError)
})

/** The client as a marketplace of a plain host. */
export const toMarketplaceOptions = ({ search, ...extras }: ShopifyClient): ShopifyMarketplaceOptions => {
  const plain: MarketplaceOptions<ProductPage> = {
    search: (query, context) => toPromise(search(query), context.signal)
  }
  return { ...extras, ...plain }
}

/** The catalogue for an Effect host, over the `HttpClient` of the context. */
export const makeShopify = (
  options: ShopifyLayerOptions
): Effect.Effect<ShopifyMarketplace, ConfigurationError, HttpClient.HttpClient> =>
  Effect.map(makeShopifyClient(options), toMarketplace)

/**
 * Shopify's shops as a marketplace of an Effect host.
 *
 * @example
 * import { Marketplaces } from "@till402/core/effect"
 * import { Shopify } from "@till402/providers/shopify"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const marketplaces = Marketplaces.layerOf(Shopify).pipe(
 *   Layer.provide(Shopify.layerConfig()),
 *   Layer.provide(FetchHttpClient.layer)
 * )
 */
export class Shopify extends Context.Service<Shopify, ShopifyMarketplace>()("@till402/providers/Shopify") {
  static readonly layer = (
    options: ShopifyLayerOptions
  ): Layer.Layer<Shopify, ConfigurationError, HttpClient.HttpClient> =>
    Layer.effect(Shopify, makeShopify(options))

  /**
   * Reads `SHOPIFY_PROFILE_URL` and, if set, `SHOPIFY_CLIENT_ID` with `SHOPIFY_CLIENT_SECRET`,
   * `SHOPIFY_SHOPS` and `SHOPIFY_SHOP_IDS` (separated by commas), `SHOPIFY_COUNTRY`, `SHOPIFY_CURRENCY`,
   * `SHOPIFY_LANGUAGE`, `SHOPIFY_SHIPS_TO` (`all` for every country), `SHOPIFY_CONDITION`,
   * `SHOPIFY_PAGE_SIZE`, `SHOPIFY_MAX_PAGES`, `SHOPIFY_REQUESTS_PER_SECOND`, `SHOPIFY_UCP_VERSION`,
   * `SHOPIFY_BASE_URL`, `SHOPIFY_TOKEN_URL` and the settings of all providers, such as
   * `SHOPIFY_TIMEOUT_MILLIS`. They take precedence over `defaults`.
   */
  static readonly layerConfig = (
    defaults: Partial<ShopifySettings> = {}
  ): Layer.Layer<Shopify, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =>
    Layer.effect(Shopify, Effect.flatMap(optionsFromConfig(defaults), makeShopify))
}
