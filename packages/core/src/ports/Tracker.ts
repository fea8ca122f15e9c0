import { Context, Effect, Layer, Schema } from "effect"
import {
  type AdditionalFieldRequired,
  type CarrierNotDetected,
  type InvalidCarrier,
  type InvalidTrackingNumber,
  NoTrackingInfo,
  type UpstreamError
} from "../domain/Errors.ts"
import {
  TrackCarrier,
  TrackingEvent,
  TrackMilestone,
  type TrackQuery,
  TrackResult
} from "../domain/Tracking.ts"
import type { TrackerOptions } from "../ProviderOptions.ts"
import { answerReader, nullWhereMissing } from "./HostAnswer.ts"
import { type CallSettings, hostCall } from "./HostCall.ts"

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
>()("@till402/core/Tracker") {
  /** The tracker of a host without Effect. What it leaves out of a result is null, where that is allowed. */
  static readonly fromPromise = (
    options: TrackerOptions,
    { timeoutMillis }: CallSettings
  ): Layer.Layer<Tracker> =>
    Layer.succeed(Tracker, {
      track: Effect.fn("Tracker.track")((query: TrackQuery) =>
        hostCall({
          port: "tracking",
          timeoutMillis,
          refuses: [
            "AdditionalFieldRequired",
            "CarrierNotDetected",
            "InvalidCarrier",
            "InvalidTrackingNumber",
            "NoTrackingInfo"
          ],
          ask: (asking) => options.track({ ...query }, asking),
          read: readResult
        })
      )
    })

  /** Knows the given shipments by their numbers, and nothing of any other. */
  static readonly layerMemory = (shipments: ReadonlyArray<TrackResult>): Layer.Layer<Tracker> =>
    Layer.sync(Tracker, () => {
      const byNumber = new Map(shipments.map((shipment) => [shipment.number, shipment]))
      return {
        track: ({ number }) => {
          const shipment = byNumber.get(number)
          return shipment === undefined
            ? Effect.fail(new NoTrackingInfo({ message: "Nothing is known of this tracking number yet." }))
            : Effect.succeed(shipment)
        }
      }
    })
}

const { estimatedDelivery, lastMileCarrier } = TrackResult.fields
const event = nullWhereMissing(TrackingEvent)

const readResult = answerReader(
  nullWhereMissing(
    Schema.Struct({
      ...TrackResult.fields,
      carrier: nullWhereMissing(TrackCarrier),
      lastMileCarrier: Schema.NullOr(nullWhereMissing(lastMileCarrier.members[0])),
      latestEvent: Schema.NullOr(event),
      events: Schema.Array(event),
      milestones: Schema.Array(nullWhereMissing(TrackMilestone)),
      estimatedDelivery: Schema.NullOr(nullWhereMissing(estimatedDelivery.members[0]))
    })
  )
)
