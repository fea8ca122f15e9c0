import type { MarketplaceOptions, ProductPage } from "@till402/core"
import { canopy } from "@till402/providers/canopy"
import { shopify, type ShopifyMarketplaceOptions } from "@till402/providers/shopify"
import { type Environment, type Fetch, missing, type Part, valueOf } from "./environment.ts"

/*
 * Search: Amazon by Canopy, and Shopify's global catalogue.
 */

export const amazonFrom = (environment: Environment, fetch: Fetch): Part<MarketplaceOptions<ProductPage>> => {
  const apiKey = valueOf(environment, "CANOPY_API_KEY")
  return apiKey === undefined
    ? missing("search of Amazon", "CANOPY_API_KEY", "searches find nothing of Amazon's")
    : { port: canopy({ apiKey, fetch }), line: "search of Amazon: Canopy." }
}

/** Shopify fetches the agent profile before it responds: from this app, or from where the variable says. */
const profileUrlOf = (environment: Environment): string | undefined => {
  const baseUrl = valueOf(environment, "BASE_URL") ?? ""
  const url =
    valueOf(environment, "SHOPIFY_PROFILE_URL") ??
    (URL.canParse(baseUrl) ? new URL("/.well-known/ucp-agent.json", baseUrl).href : "")
  return url.startsWith("https://") ? url : undefined
}

export const shopifyFrom = (environment: Environment, fetch: Fetch): Part<ShopifyMarketplaceOptions> => {
  const profileUrl = profileUrlOf(environment)
  const clientId = valueOf(environment, "SHOPIFY_CLIENT_ID")
  const clientSecret = valueOf(environment, "SHOPIFY_CLIENT_SECRET")
  if (profileUrl === undefined) {
    return missing(
      "search of Shopify",
      "BASE_URL to a public https address, or SHOPIFY_PROFILE_URL",
      "Shopify can't fetch the agent profile, and searches find nothing of its shops"
    )
  }
  return {
    port: shopify({ profileUrl, clientId, clientSecret, fetch }),
    line:
      clientId === undefined
        ? "search of Shopify: anonymous. Set SHOPIFY_CLIENT_ID and SHOPIFY_CLIENT_SECRET for a higher rate."
        : "search of Shopify: with a token."
  }
}
