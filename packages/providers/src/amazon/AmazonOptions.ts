import type { MarketplaceOptions, ProductPage } from "@till402/core"
import type { Redacted } from "effect"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/UpstreamSettings.ts"
import type { AmazonCountry } from "./Country.ts"

/** Settings of the providers that search Amazon, without the key. */
export interface AmazonSettings extends UpstreamSettings {
  /** The shop to search; default `US`. Price filters find nothing in shops with another currency. */
  readonly country?: AmazonCountry | undefined
  /** Address of the API; default: the provider's. Must be https or on this machine. */
  readonly baseUrl?: string | undefined
}

/** Options of the plain functions `canopy`, `rainforest` and `serpApi`. */
export interface AmazonOptions extends AmazonSettings, FetchOptions {
  readonly apiKey: string
}

/** Options of `Canopy.layer`, `Rainforest.layer` and `SerpApi.layer`. */
export interface AmazonLayerOptions extends AmazonSettings {
  readonly apiKey: Redacted.Redacted<string>
}

/** `marketplace_a` of a till, with its usage. */
export interface AmazonMarketplaceOptions extends MarketplaceOptions<ProductPage> {
  readonly usage: () => UpstreamUsage
}
