import type { MarketplaceOptions } from "@till402/core"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"
import type { AmazonCountry } from "./Country.ts"

/** What both providers of the search of Amazon take, key aside. */
export interface AmazonSettings extends UpstreamSettings {
  /** The shop to search; default `US`. Price filters find nothing in shops of another currency. */
  readonly country?: AmazonCountry
  /** Where the API is, if not at its provider's: a proxy, a test. Https, or this machine. */
  readonly baseUrl?: string
}

/** What a plain host gives. */
export interface AmazonOptions extends AmazonSettings, FetchOptions {
  readonly apiKey: string
}

/** `marketplace_a` of a till, with an account of what it was used for. */
export interface AmazonMarketplaceOptions extends MarketplaceOptions {
  readonly usage: () => UpstreamUsage
}
