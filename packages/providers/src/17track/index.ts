/*
 * The tracker of a till by 17TRACK (https://api.17track.net, version 2.4).
 */
export type { Carrier } from "../carriers/Carrier.ts"
export type { FetchOptions, RateLimit, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"
export type {
  CarrierNames,
  SeventeenTrackOptions,
  SeventeenTrackSettings,
  SeventeenTrackTracker
} from "./Options.ts"
export {
  layer,
  layerConfig,
  make,
  SeventeenTrack,
  seventeenTrack,
  type SeventeenTrackLayerOptions
} from "./SeventeenTrack.ts"
