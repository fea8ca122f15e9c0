/*
 * The tracker of a till from 17TRACK (https://api.17track.net, version 2.4).
 */
export type { Carrier } from "../carriers/Carrier.ts"
export type * from "../upstream/UpstreamSettings.ts"
export type {
  CarrierNames,
  SeventeenTrackLayerOptions,
  SeventeenTrackOptions,
  SeventeenTrackSettings,
  SeventeenTrackTracker
} from "./Options.ts"
export { SeventeenTrack, type SeventeenTrackClient, seventeenTrack } from "./SeventeenTrack.ts"
