import { Redacted } from "effect"
import { makeWithFetch } from "../upstream/index.ts"
import type { ShopifyMarketplaceOptions, ShopifyOptions } from "./Options.ts"
import { makeShopifyClient, toMarketplaceOptions } from "./Shopify.ts"

/*
 * `marketplace_b` from Shopify's global catalogue, or from the catalogues of single shops, through MCP tools
 * of the Universal Commerce Protocol: https://shopify.dev/docs/agents/catalog
 */

export { agentProfile } from "./AgentProfile.ts"
export { CatalogueRefused } from "./CatalogueRefused.ts"
export type { ShopifyLayerOptions } from "./Config.ts"
export type { ShopifyExtras, ShopifyMarketplaceOptions, ShopifyOptions, ShopifySettings } from "./Options.ts"
export { Shopify, type ShopifyMarketplace } from "./Shopify.ts"
export type * from "../upstream/UpstreamSettings.ts"

/**
 * Shopify's shops as the storefront marketplace of a till.
 *
 * Shopify fetches the agent profile from `profileUrl` before it responds: serve it there, as below.
 *
 * @throws ConfigurationError for an unusable option
 * @example
 * import { shopify } from "@till402/providers/shopify"
 *
 * const catalogue = shopify({
 *   profileUrl: "https://shop.example/.well-known/ucp-agent.json",
 *   clientId: process.env["SHOPIFY_CLIENT_ID"]!,
 *   clientSecret: process.env["SHOPIFY_CLIENT_SECRET"]!
 * })
 * const till = Till.make({
 *   ...options,
 *   marketplaces: { marketplace_b: catalogue },
 *   publicRoutes: { [catalogue.profilePath]: catalogue.profile }
 * })
 */
export const shopify = ({ clientSecret, fetch, ...options }: ShopifyOptions): ShopifyMarketplaceOptions =>
  toMarketplaceOptions(
    makeWithFetch(
      makeShopifyClient({
        ...options,
        onShopMissing: options.onShopMissing ?? toStandardError,
        clientSecret: clientSecret === undefined ? undefined : Redacted.make(clientSecret)
      }),
      fetch
    )
  )

const toStandardError = (shop: string, reason: string): void =>
  console.error(
    JSON.stringify({ level: "warning", message: "A shop is missing from a search", data: { shop, reason } })
  )
