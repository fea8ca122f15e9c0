/*
 * Carriers: a bundled list with names and homepages, formats of their numbers, and a directory
 * that loads the tracking provider's whole list.
 */
export type { FetchOptions, UpstreamSettings } from "../upstream/UpstreamSettings.ts"
export type { Carrier } from "./Carrier.ts"
export {
  type CarrierDirectory,
  carrierDirectory,
  type CarrierDirectoryEffects,
  type CarrierDirectorySettings,
  carrierListUrl,
  makeCarrierDirectory
} from "./CarrierDirectory.ts"
export { bundledCarriers, likelyCarriers } from "./LikelyCarriers.ts"
