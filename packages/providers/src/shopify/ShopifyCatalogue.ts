import type { ConfigurationError, MarketplaceOptions } from "@till402/core"
import { type Marketplace, UpstreamFailed } from "@till402/core/effect"
import { Context, Effect } from "effect"
import type { HttpClient } from "effect/http"
import { makeUpstream, paced, promised, toPortError, type Upstream } from "../upstream/index.ts"
import { makeAccessToken } from "./AccessToken.ts"
import { profileHandler } from "./AgentProfile.ts"
import { type CatalogueClient, makeCatalogueClient } from "./CatalogueClient.ts"
import { type Configured, configure, type Shop, type ShopifyLayerOptions } from "./Configured.ts"
import type { CatalogueFault } from "./JsonRpc.ts"
import type { ShopifyExtras, ShopifyMarketplaceOptions } from "./Options.ts"
import { mergeStorefronts, type OnShopMissing } from "./Storefronts.ts"

/** Search of Shopify's shops; stands for `marketplace_b`. */
export interface ShopifyMarketplace extends Marketplace, ShopifyExtras {}

/**
 * Search of Shopify's shops as a service.
 *
 * @example
 * import { Marketplaces } from "@till402/core/effect"
 * import { ShopifyCatalogue } from "@till402/providers/shopify"
 * import { Effect, Layer } from "effect"
 *
 * const marketplaces = Layer.effect(Marketplaces, Effect.map(ShopifyCatalogue, (shopify) => [shopify]))
 */
export class ShopifyCatalogue extends Context.Service<ShopifyCatalogue, ShopifyMarketplace>()(
  "@till402/providers/ShopifyCatalogue"
) {}

/** A search before its faults are sorted for an Effect host or a plain one. */
export interface ShopifyClient extends CatalogueClient, ShopifyExtras {}

const mcpPath = "/api/ucp/mcp"

/** One shop that is slow must not take the others with it: a search is given eight seconds by the till. */
const shopPatience = { timeoutMillis: 4_000, deadlineMillis: 6_000 }

/** Makes the client that a host's form of the catalogue is built upon. */
export const makeShopifyClient = Effect.fnUntraced(function* (
  options: ShopifyLayerOptions
): Effect.fn.Return<ShopifyClient, ConfigurationError, HttpClient.HttpClient> {
  const configured = yield* configure(options)
  const { client, upstreams } = yield* configured.shops.length === 0
    ? globalCatalogue(options, configured)
    : shopCatalogues(options, configured)
  return {
    search: client.search,
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
  configured: Configured
): Effect.fn.Return<Made, ConfigurationError, HttpClient.HttpClient> {
  const { baseUrl, credentials, market, requestsPerSecond, tokenUrl } = configured
  const limiter = paced({ requests: requestsPerSecond, perMillis: 1_000 })
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

/** Names and codes only: a fault's message is for nobody but the host. */
const missingReporter = ({ onShopMissing }: ShopifyLayerOptions): OnShopMissing =>
  onShopMissing === undefined
    ? (shop, reason) => Effect.logWarning("A shop is missing from a search", shop, reason)
    : (shop, reason) => Effect.sync(() => onShopMissing(shop, reason))

const shopCatalogues = Effect.fnUntraced(function* (
  options: ShopifyLayerOptions,
  configured: Configured
): Effect.fn.Return<Made, ConfigurationError, HttpClient.HttpClient> {
  const patience = { ...shopPatience, ...options }
  const { currency } = configured.market
  const made = yield* Effect.forEach(configured.shops, ({ name, origin }: Shop) =>
    Effect.map(
      makeUpstream({
        ...patience,
        name,
        limiter: paced({ requests: configured.requestsPerSecond, perMillis: 1_000 })
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
      timeoutMillis: patience.deadlineMillis,
      onShopMissing: missingReporter(options)
    }),
    upstreams: made.map(({ upstream }) => upstream)
  }
})

/** A refusal is our fault, the profile's or the credentials': waiting mends none of them. */
const toMarketplaceError = (fault: CatalogueFault) =>
  fault._tag === "CatalogueRefused"
    ? new UpstreamFailed({ port: "marketplace", cause: fault })
    : toPortError("marketplace", fault)

/** The client as the port of an Effect host. */
export const toMarketplace = ({ search, ...extras }: ShopifyClient): ShopifyMarketplace => ({
  ...extras,
  source: "marketplace_b",
  search: (query) => Effect.mapError(search(query), toMarketplaceError)
})

/** The client as the options of a plain host. */
export const toMarketplaceOptions = ({ search, ...extras }: ShopifyClient): ShopifyMarketplaceOptions => {
  const plain: MarketplaceOptions = {
    search: (query, context) => promised(search(query), context.signal)
  }
  return { ...extras, ...plain }
}
