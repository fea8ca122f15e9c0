import { Context, type Effect } from "effect"
import type {
  AdditionalFieldRequired,
  CarrierNotDetected,
  InvalidCarrier,
  InvalidTrackingNumber,
  NoTrackingInfo,
  UpstreamError
} from "../domain/Errors.ts"
import type { TrackQuery, TrackResult } from "../domain/Tracking.ts"

export type TrackRefusal =
  | AdditionalFieldRequired
  | CarrierNotDetected
  | InvalidCarrier
  | InvalidTrackingNumber
  | NoTrackingInfo

/** Looks up a shipment by its number. */
export class Tracker extends Context.Service<
  Tracker,
  { readonly track: (query: TrackQuery) => Effect.Effect<TrackResult, TrackRefusal | UpstreamError> }
>()("@till402/core/Tracker") {}
