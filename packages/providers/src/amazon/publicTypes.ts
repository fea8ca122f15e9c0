/*
 * Types that every entry of a service exports.
 */

export type { AmazonMarketplace } from "./AmazonMarketplace.ts"
export type {
  AmazonLayerOptions,
  AmazonMarketplaceOptions,
  AmazonOptions,
  AmazonSettings
} from "./AmazonOptions.ts"
export type { AmazonCountry } from "./Country.ts"
export type * from "../upstream/UpstreamSettings.ts"
