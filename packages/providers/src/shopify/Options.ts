import type { MarketplaceOptions } from "@till402/core"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"

/** What both forms of the catalogue take, the secret aside. Times are in milliseconds. */
export interface ShopifySettings extends UpstreamSettings {
  /**
   * Public https address of the agent profile, e.g. `https://shop.example/.well-known/ucp-agent.json`.
   * Shopify fetches it: it must answer there, without redirect. `profile` is the answer to give.
   */
  readonly profileUrl: string
  /** Client id of the Dev Dashboard, with its secret: the token tier. Without both: the anonymous tier. */
  readonly clientId?: string
  /** Where the buyers are, ISO 3166-1 alpha-2; default `US`. */
  readonly country?: string
  /** Currency of prices, ISO 4217; default `USD`. Price filters find nothing in another one. */
  readonly currency?: string
  /** Language of titles, IETF tag; default `en`. */
  readonly language?: string
  /** Only what ships to this country, ISO 3166-1 alpha-2; default `country`, `false` for all. */
  readonly shipsTo?: string | false
  /** Only new or only second-hand goods; default both. */
  readonly condition?: "new" | "secondhand"
  /** Only these shops of the global catalogue: `gid://shopify/Shop/<digits>`, 50 at most. */
  readonly shopIds?: ReadonlyArray<string>
  /**
   * Domains of shops whose own catalogues are asked instead of the global one, 10 at most:
   * `["northwind.example"]`. They are asked without credentials.
   */
  readonly shops?: ReadonlyArray<string>
  /**
   * Told of a shop of `shops` that was left out of a search, by its upstream's name and a code such as
   * `HTTP_503`, `Redirected` (a shop behind a password) or `TimedOut`. Default: a warning in the log, for
   * a plain host one JSON line on standard error.
   */
  readonly onShopMissing?: (shop: string, reason: string) => void
  /** Products asked of one page, 1 to 50; default 50. */
  readonly pageSize?: number
  /** Last page that can be asked for, 1 to 100; default 20. Page n may need n calls. */
  readonly maxPages?: number
  /** Calls a second; default 5 with a token, which is Shopify's limit, and 2 without. */
  readonly requestsPerSecond?: number
  /** Version of the protocol that the profile speaks; default `2026-08-25`. */
  readonly ucpVersion?: string
  /** Where the global catalogue is, if not at Shopify's: a proxy, a test. Https, or this machine. */
  readonly baseUrl?: string
  /** Where tokens are given out, if not at Shopify's. Https, or this machine. */
  readonly tokenUrl?: string
}

/** What a plain host gives. */
export interface ShopifyOptions extends ShopifySettings, FetchOptions {
  readonly clientSecret?: string
}

/** What the catalogue offers beside the search. */
export interface ShopifyExtras {
  /**
   * Answers requests for the agent profile; mount it where `profileUrl` says. `profilePath` is the path
   * of that address.
   */
  readonly profile: (request: Request) => Response
  readonly profilePath: string
  /** By upstream: `shopify` and `shopify-token`, or `shopify:<domain>` for each shop. */
  readonly usage: () => Readonly<Record<string, UpstreamUsage>>
}

/** `marketplace_b` of a till, with its agent profile and an account of what it was used for. */
export interface ShopifyMarketplaceOptions extends MarketplaceOptions, ShopifyExtras {}
