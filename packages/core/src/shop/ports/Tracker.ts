import type { TemporarilyUnavailable, TrackRefusal, UpstreamError } from "./PortErrors.ts"
import type { CallContext } from "../../runtime/Deadline.ts"
import { accidentIn, isAccident } from "../../domain/Accident.ts"
import { Context, Effect, Layer, Schema } from "effect"
import { normalized } from "../goods/Shipment.ts"
import {
  TrackCarrier,
  TrackingEvent,
  TrackMilestone,
  type TrackQuery,
  TrackResult
} from "../goods/Tracking.ts"
import { responseReader, missingAsNull } from "../../ports/HostResponse.ts"
import { fromOptions, fromPromise, guarded, PortSettings } from "./PortGuard.ts"
import { MalformedResponse } from "../../runtime/MalformedResponse.ts"
import { boundedLookups, lettersAndDigits, type TooManyLookups } from "./TrackLookups.ts"
import type { Sparse } from "../../ports/Sparse.ts"

/** Looks up a shipment by its number. */
export class Tracker extends Context.Service<
  Tracker,
  {
    /** Nullable fields may be left out. */
    readonly track: (
      query: TrackQuery
    ) => Effect.Effect<Sparse<TrackResult>, TrackRefusal | TemporarilyUnavailable | UpstreamError>
    /** See `TrackerOptions.carriers`. */
    readonly carriers?: number | undefined
  }
>()("@till402/core/Tracker") {
  /** A tracker from a host's async function. */
  static readonly layerPromise = (options: TrackerOptions): Layer.Layer<Tracker> =>
    Layer.succeed(
      Tracker,
      fromOptions<Tracker["Service"]>(options, {
        track: (query) => fromPromise((context) => options.track({ ...query }, context)),
        carriers: options.carriers
      })
    )
}

const { estimatedDelivery, lastMileCarrier } = TrackResult.fields
const event = missingAsNull(TrackingEvent)

const readSent = responseReader(
  TrackResult,
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

const isSameNumber = (left: string, right: string): boolean =>
  lettersAndDigits(left) === lettersAndDigits(right)

const faultOf = (
  { carrier, events, number, statusDescription, trackingPageUrl }: TrackResult,
  query: TrackQuery
): string | undefined => {
  if (!isSameNumber(number, query.number)) return "number: is that of another shipment"
  if (accidentIn(trackingPageUrl) !== undefined || /=undefined(?=&|#|$)/.test(trackingPageUrl))
    return 'trackingPageUrl: has "undefined" or "null" in it'
  const words = [statusDescription, carrier.name, ...events.map(({ description }) => description)]
  return words.some((each) => each !== null && isAccident(each))
    ? "events or carrier: a description or name is undefined, null or NaN as text"
    : undefined
}

/** A tracker whose calls are guarded. */
export interface GuardedTracker {
  /** `payer`: whose look-up isn't paid for if it finds nothing; `undefined`: it is paid for already. */
  readonly track: (
    query: TrackQuery,
    payer: string | undefined
  ) => Effect.Effect<TrackResult, TrackRefusal | TooManyLookups | UpstreamError>
  readonly carriers: number | undefined
}

/** The tracker as the till calls it. */
export const guardedTracker = Effect.gen(function* () {
  const settings = yield* PortSettings
  const tracker = yield* Tracker
  const lookUp = (query: TrackQuery) =>
    guarded(
      settings,
      {
        port: "tracking",
        span: "Tracker.track",
        refusals: [
          "AdditionalFieldRequired",
          "CarrierNotDetected",
          "InvalidCarrier",
          "InvalidTrackingNumber",
          "NoTrackingInfo"
        ],
        read: (response) =>
          Effect.flatMap(readSent(response), (result) => {
            const fault = faultOf(result, query)
            return fault === undefined
              ? Effect.succeed(normalized(result))
              : Effect.fail(new MalformedResponse({ message: fault }))
          })
      },
      () => tracker.track(query)
    )
  const bounded = boundedLookups(lookUp)
  return {
    carriers: tracker.carriers,
    track: (query, payer) => (payer === undefined ? lookUp(query) : bounded(query, payer))
  } satisfies GuardedTracker
})

/**
 * Looks up shipments. A number that is known, and has no events yet, is a result with `found: false`, which is charged; one
 * that no carrier knows is `NoTrackingInfo`, which isn't. May throw `InvalidTrackingNumber` (400), `NoTrackingInfo` (404),
 * `CarrierNotDetected`, `AdditionalFieldRequired`, `InvalidCarrier` (422) or
 * `TemporarilyUnavailable` (503); any other throw is a 502.
 */
export interface TrackerOptions<Result extends Sparse<TrackResult> = Sparse<TrackResult>> {
  readonly track: (query: TrackQuery, context: CallContext) => Promise<Result>
  /** How many carriers it knows at least: 3400. The documents say so; without it, they name no number. */
  readonly carriers?: number | undefined
}
