/*
 * Carriers: a bundled list with names and homepages, what their numbers look like, and a directory that
 * takes up the tracking provider's whole list.
 */
export type { FetchOptions, UpstreamSettings } from "../upstream/Settings.ts"
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
