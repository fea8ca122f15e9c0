import type { TillOptions } from "@till402/core"
import { seventeenTrack, type SeventeenTrackTracker } from "@till402/providers/17track"
import { canopy } from "@till402/providers/canopy"
import { rainforest } from "@till402/providers/rainforest"
import { shopify, type ShopifyMarketplaceOptions } from "@till402/providers/shopify"

/*
 * Makes the upstreams whose keys are in the environment, and reports the missing ones.
 */

export type Environment = Readonly<Record<string, string | undefined>>

export interface Upstreams {
  /** Options of `Till.make`. A port without keys is omitted together with its routes. */
  readonly ports: Pick<TillOptions, "marketplaces" | "tracker">
  /** Serves the agent profile that Shopify fetches. */
  readonly shopify: ShopifyMarketplaceOptions | undefined
  /** Handles the webhooks of 17TRACK. */
  readonly tracker: SeventeenTrackTracker | undefined
  /** Configured and missing upstreams, for the operator. */
  readonly report: ReadonlyArray<string>
}

type Found<A> = { readonly provider: A | undefined; readonly line: string }

/** The value of a variable; `undefined` if it is empty. */
const set = (value: string | undefined): string | undefined => (value === "" ? undefined : value)

const amazonOf = (environment: Environment): Found<ReturnType<typeof canopy>> => {
  const { CANOPY_API_KEY, CANOPY_BASE_URL, RAINFOREST_API_KEY, RAINFOREST_BASE_URL } = environment
  if (CANOPY_API_KEY) {
    return {
      provider: canopy({ apiKey: CANOPY_API_KEY, baseUrl: set(CANOPY_BASE_URL) }),
      line: "marketplace_a: Amazon by Canopy."
    }
  }
  if (RAINFOREST_API_KEY) {
    return {
      provider: rainforest({ apiKey: RAINFOREST_API_KEY, baseUrl: set(RAINFOREST_BASE_URL) }),
      line: "marketplace_a: Amazon by Rainforest."
    }
  }
  return {
    provider: undefined,
    line: "marketplace_a: missing. Set CANOPY_API_KEY or RAINFOREST_API_KEY; without one, GET /x402/search finds nothing of Amazon's."
  }
}

const profilePath = "/.well-known/ucp-agent.json"

const shopifyOf = (environment: Environment): Found<ShopifyMarketplaceOptions> => {
  const { BASE_URL = "", SHOPIFY_CLIENT_ID, SHOPIFY_CLIENT_SECRET, SHOPIFY_PROFILE_URL } = environment
  const { SHOPIFY_BASE_URL, SHOPIFY_SHOPS, SHOPIFY_TOKEN_URL } = environment
  const profileUrl =
    SHOPIFY_PROFILE_URL || (URL.canParse(BASE_URL) ? new URL(profilePath, BASE_URL).href : "")
  if (!profileUrl.startsWith("https://")) {
    return {
      provider: undefined,
      line: "marketplace_b: missing. Shopify fetches the agent profile from this app: BASE_URL must be a public https address, or SHOPIFY_PROFILE_URL name a profile elsewhere; without it, GET /x402/search finds nothing of Shopify's."
    }
  }
  const shops = SHOPIFY_SHOPS ? SHOPIFY_SHOPS.split(",").map((shop) => shop.trim()) : undefined
  const provider = shopify({
    profileUrl,
    shops,
    clientId: set(SHOPIFY_CLIENT_ID),
    clientSecret: set(SHOPIFY_CLIENT_SECRET),
    baseUrl: set(SHOPIFY_BASE_URL),
    tokenUrl: set(SHOPIFY_TOKEN_URL)
  })
  if (shops !== undefined) return { provider, line: `marketplace_b: the shops ${shops.join(", ")}.` }
  return {
    provider,
    line: SHOPIFY_CLIENT_ID
      ? "marketplace_b: Shopify's global catalogue, with a token."
      : "marketplace_b: Shopify's global catalogue, anonymously. Set SHOPIFY_CLIENT_ID and SHOPIFY_CLIENT_SECRET for a higher rate."
  }
}

const trackerOf = (environment: Environment): Found<SeventeenTrackTracker> => {
  const { SEVENTEENTRACK_API_KEY, SEVENTEENTRACK_BASE_URL } = environment
  return SEVENTEENTRACK_API_KEY
    ? {
        provider: seventeenTrack({
          apiKey: SEVENTEENTRACK_API_KEY,
          baseUrl: set(SEVENTEENTRACK_BASE_URL)
        }),
        line: "tracker: 17TRACK."
      }
    : {
        provider: undefined,
        line: "tracker: missing. Set SEVENTEENTRACK_API_KEY; without it there is no GET /x402/track."
      }
}

/** @throws ConfigurationError for an unusable key or address */
export const upstreamsFrom = (environment: Environment): Upstreams => {
  const amazon = amazonOf(environment)
  const shopify = shopifyOf(environment)
  const tracker = trackerOf(environment)
  const marketplaces = {
    ...(amazon.provider === undefined ? {} : { marketplace_a: amazon.provider }),
    ...(shopify.provider === undefined ? {} : { marketplace_b: shopify.provider })
  }
  const hasMarketplace = Object.keys(marketplaces).length > 0
  return {
    ports: {
      ...(hasMarketplace ? { marketplaces } : {}),
      ...(tracker.provider === undefined ? {} : { tracker: tracker.provider })
    },
    shopify: shopify.provider,
    tracker: tracker.provider,
    report: [
      amazon.line,
      shopify.line,
      tracker.line,
      ...(hasMarketplace ? [] : ["Without a marketplace there is no GET /x402/search."])
    ]
  }
}
