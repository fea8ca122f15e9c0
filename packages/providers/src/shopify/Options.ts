import type { MarketplaceOptions, ProductPage } from "@till402/core"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/UpstreamSettings.ts"

/** Settings of the catalogue, without the secret. Times are in milliseconds. */
export interface ShopifySettings extends UpstreamSettings {
  /**
   * Public https address of the agent profile: `https://shop.example/.well-known/ucp-agent.json`.
   * Shopify fetches it, so it must be served there without a redirect. `profile` handles that request.
   */
  readonly profileUrl: string
  /** Client id of the Dev Dashboard. With `clientSecret`: the token tier; without both: the anonymous tier. */
  readonly clientId?: string | undefined
  /** The buyers' country, ISO 3166-1 alpha-2; default `US`. */
  readonly country?: string | undefined
  /** Currency of prices, ISO 4217; default `USD`. Price filters find nothing in other currencies. */
  readonly currency?: string | undefined
  /** Language of titles, IETF tag; default `en`. */
  readonly language?: string | undefined
  /** Finds only products shipped to this country, ISO 3166-1 alpha-2; default `country`, `false` for all. */
  readonly shipsTo?: string | false | undefined
  /** Finds only new or only second-hand products; default both. */
  readonly condition?: "new" | "secondhand" | undefined
  /** Finds only products of these shops of the global catalogue: `gid://shopify/Shop/<digits>`, up to 50. */
  readonly shopIds?: ReadonlyArray<string> | undefined
  /**
   * Domains of up to 10 shops whose own catalogues are searched instead of the global one:
   * `["northwind.example"]`. They are searched without credentials.
   */
  readonly shops?: ReadonlyArray<string> | undefined
  /**
   * Called when one of `shops` is missing from a search, with its upstream's name and a code such as
   * `HTTP_503`, `Redirected` (a shop behind a password) or `TimedOut`. Default: logs a warning; for a
   * plain host, one JSON line on standard error.
   */
  readonly onShopMissing?: ((shop: string, reason: string) => void) | undefined
  /** Products requested per page, 1 to 50; default 50. */
  readonly pageSize?: number | undefined
  /** Last page that can be requested, 1 to 100; default 20. Page n may need n calls. */
  readonly maxPages?: number | undefined
  /** Calls per second; default 5 with a token, which is Shopify's limit, and 2 without. */
  readonly requestsPerSecond?: number | undefined
  /** Protocol version in the profile; default `2026-08-25`. */
  readonly ucpVersion?: string | undefined
  /** Address of the global catalogue; default: Shopify's. Must be https or on this machine. */
  readonly baseUrl?: string | undefined
  /** Address that issues tokens; default: Shopify's. Must be https or on this machine. */
  readonly tokenUrl?: string | undefined
}

/** Options of the plain function `shopify`. */
export interface ShopifyOptions extends ShopifySettings, FetchOptions {
  readonly clientSecret?: string | undefined
}

/** What the catalogue offers besides the search. */
export interface ShopifyExtras {
  /** Responds to requests for the agent profile. Serve it at `profilePath`. */
  readonly profile: (request: Request) => Response
  /** The path of `profileUrl`. */
  readonly profilePath: string
  /** By upstream: `shopify` and `shopify-token`, or `shopify:<domain>` for each shop. */
  readonly usage: () => Readonly<Record<string, UpstreamUsage>>
}

/** `marketplace_b` of a till, with its agent profile and its usage. */
export interface ShopifyMarketplaceOptions extends MarketplaceOptions<ProductPage>, ShopifyExtras {}
