import type { TrackRefusal } from "./Errors.ts"
import type { CallContext } from "../../runtime/Deadline.ts"
import { Context, Effect, Layer, Schema } from "effect"
import { NoTrackingInfo, type UpstreamError } from "./Errors.ts"
import {
  TrackCarrier,
  TrackingEvent,
  TrackMilestone,
  type TrackQuery,
  TrackResult
} from "../goods/Tracking.ts"
import { responseReader, missingAsNull } from "../../ports/HostResponse.ts"
import { hostCall } from "./HostCall.ts"
import type { CallSettings } from "../../ports/ProviderFailure.ts"
import type { Sparse } from "../../ports/Sparse.ts"

/** Looks up a shipment by its number. */
export class Tracker extends Context.Service<
  Tracker,
  { readonly track: (query: TrackQuery) => Effect.Effect<TrackResult, TrackRefusal | UpstreamError> }
>()("@till402/core/Tracker") {
  /** A tracker from a host's async function. Nullable fields that it leaves out become null. */
  static readonly fromPromise = (options: TrackerOptions, settings: CallSettings): Layer.Layer<Tracker> =>
    Layer.succeed(Tracker, {
      track: Effect.fn("Tracker.track")((query: TrackQuery) =>
        hostCall({
          port: "tracking",
          operation: "track",
          settings,
          mayThrow: [
            "AdditionalFieldRequired",
            "CarrierNotDetected",
            "InvalidCarrier",
            "InvalidTrackingNumber",
            "NoTrackingInfo"
          ],
          call: (context) => options.track({ ...query }, context),
          read: readResult
        })
      )
    })

  /** Knows the given shipments by their numbers, and no others. */
  static readonly layerMemory = (shipments: ReadonlyArray<TrackResult>): Layer.Layer<Tracker> =>
    Layer.sync(Tracker, () => {
      const byNumber = new Map(shipments.map((shipment) => [shipment.number, shipment]))
      return {
        track: ({ number }) => {
          const shipment = byNumber.get(number)
          return shipment === undefined
            ? Effect.fail(new NoTrackingInfo({ message: "No information on this tracking number yet." }))
            : Effect.succeed(shipment)
        }
      }
    })
}

const { estimatedDelivery, lastMileCarrier } = TrackResult.fields
const event = missingAsNull(TrackingEvent)

const readResult = responseReader(
  missingAsNull(
    Schema.Struct({
      ...TrackResult.fields,
      carrier: missingAsNull(TrackCarrier),
      lastMileCarrier: Schema.NullOr(missingAsNull(lastMileCarrier.members[0])),
      latestEvent: Schema.NullOr(event),
      events: Schema.Array(event),
      milestones: Schema.Array(missingAsNull(TrackMilestone)),
      estimatedDelivery: Schema.NullOr(missingAsNull(estimatedDelivery.members[0]))
    })
  )
)

/**
 * Looks up shipments. May throw `InvalidTrackingNumber` (400), `NoTrackingInfo` (404),
 * `CarrierNotDetected`, `AdditionalFieldRequired`, `InvalidCarrier` (422) or
 * `TemporarilyUnavailable` (503); any other throw is a 502.
 */
export interface TrackerOptions<Result extends Sparse<TrackResult> = Sparse<TrackResult>> {
  readonly track: (query: TrackQuery, context: CallContext) => Promise<Result>
}
