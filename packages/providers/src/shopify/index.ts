import type { ConfigurationError } from "@till402/core"
import { Config, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { HttpClient } from "effect/http"
import { overFetch, settingsConfig } from "../upstream/index.ts"
import type { ShopifyLayerOptions } from "./Configured.ts"
import type { ShopifyMarketplaceOptions, ShopifyOptions } from "./Options.ts"
import {
  makeShopifyClient,
  ShopifyCatalogue,
  type ShopifyMarketplace,
  toMarketplace,
  toMarketplaceOptions
} from "./ShopifyCatalogue.ts"

/*
 * `marketplace_b` by Shopify's global catalogue, or by the catalogues of shops of its platform: MCP tools
 * of the Universal Commerce Protocol. https://shopify.dev/docs/agents/catalog
 */

export { agentProfile } from "./AgentProfile.ts"
export type { ShopifyLayerOptions } from "./Configured.ts"
export type { ShopifyExtras, ShopifyMarketplaceOptions, ShopifyOptions, ShopifySettings } from "./Options.ts"
export { CatalogueRefused } from "./Refused.ts"
export { ShopifyCatalogue, type ShopifyMarketplace } from "./ShopifyCatalogue.ts"
export type { FetchOptions, RateLimit, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"

/**
 * Shopify's shops as the storefront platform of a till.
 *
 * Shopify fetches the agent profile from `profileUrl` before it answers: have the till serve it there.
 *
 * @throws ConfigurationError for an option that can't be used.
 * @example
 * import { shopifyCatalogue } from "@till402/providers/shopify"
 *
 * const shopify = shopifyCatalogue({
 *   profileUrl: "https://shop.example/.well-known/ucp-agent.json",
 *   clientId: process.env["SHOPIFY_CLIENT_ID"]!,
 *   clientSecret: process.env["SHOPIFY_CLIENT_SECRET"]!
 * })
 * const till = Till.make({
 *   ...options,
 *   marketplaces: { marketplace_b: shopify },
 *   publicRoutes: { [shopify.profilePath]: shopify.profile }
 * })
 */
export const shopifyCatalogue = ({
  clientSecret,
  fetch,
  ...options
}: ShopifyOptions): ShopifyMarketplaceOptions =>
  toMarketplaceOptions(
    overFetch(
      makeShopifyClient({
        onShopMissing: toStandardError,
        ...options,
        ...(clientSecret === undefined ? {} : { clientSecret: Redacted.make(clientSecret) })
      }),
      fetch === undefined ? {} : { fetch }
    )
  )

const toStandardError = (shop: string, reason: string): void =>
  console.error(
    JSON.stringify({ level: "warning", message: "A shop is missing from a search", data: { shop, reason } })
  )

/** Shopify's shops for an Effect host, over the `HttpClient` at hand. */
export const make = (
  options: ShopifyLayerOptions
): Effect.Effect<ShopifyMarketplace, ConfigurationError, HttpClient.HttpClient> =>
  Effect.map(makeShopifyClient(options), toMarketplace)

/** Shopify's shops as a service. */
export const layer = (
  options: ShopifyLayerOptions
): Layer.Layer<ShopifyCatalogue, ConfigurationError, HttpClient.HttpClient> =>
  Layer.effect(ShopifyCatalogue, make(options))

const optional = <A>(config: Config.Config<A>): Config.Config<Option.Option<A>> => Config.option(config)

const config = Config.all({
  profileUrl: Config.map(Config.String("SHOPIFY_PROFILE_URL"), Option.some),
  clientId: optional(Config.String("SHOPIFY_CLIENT_ID")),
  clientSecret: optional(Config.Redacted("SHOPIFY_CLIENT_SECRET")),
  country: optional(Config.String("SHOPIFY_COUNTRY")),
  currency: optional(Config.String("SHOPIFY_CURRENCY")),
  language: optional(Config.String("SHOPIFY_LANGUAGE")),
  shops: optional(
    Config.map(Config.String("SHOPIFY_SHOPS"), (list) => list.split(",").map((shop) => shop.trim()))
  ),
  pageSize: optional(Config.schema(Schema.Int, "SHOPIFY_PAGE_SIZE")),
  requestsPerSecond: optional(Config.schema(Schema.Int, "SHOPIFY_REQUESTS_PER_SECOND")),
  baseUrl: optional(Config.String("SHOPIFY_BASE_URL")),
  tokenUrl: optional(Config.String("SHOPIFY_TOKEN_URL"))
})

/** Leaves out what is not set. */
const given = (options: { readonly [name: string]: Option.Option<unknown> }): ShopifyLayerOptions =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, option]) => (Option.isSome(option) ? [[name, option.value]] : []))
  ) as unknown as ShopifyLayerOptions

/**
 * Shopify's shops configured by `SHOPIFY_PROFILE_URL` and, optionally, `SHOPIFY_CLIENT_ID` with
 * `SHOPIFY_CLIENT_SECRET`, `SHOPIFY_SHOPS` (domains, separated by commas), `SHOPIFY_COUNTRY`,
 * `SHOPIFY_CURRENCY`, `SHOPIFY_LANGUAGE`, `SHOPIFY_PAGE_SIZE`, `SHOPIFY_REQUESTS_PER_SECOND`,
 * `SHOPIFY_BASE_URL`, `SHOPIFY_TOKEN_URL`, `SHOPIFY_TIMEOUT_MILLIS`, `SHOPIFY_DEADLINE_MILLIS`,
 * `SHOPIFY_RETRIES` and `SHOPIFY_MAX_CONCURRENT`.
 */
export const layerConfig: Layer.Layer<
  ShopifyCatalogue,
  Config.ConfigError | ConfigurationError,
  HttpClient.HttpClient
> = Layer.unwrap(
  Effect.map(Config.all({ config, settings: settingsConfig("SHOPIFY") }), ({ config, settings }) =>
    layer({ ...settings, ...given(config) })
  )
)
