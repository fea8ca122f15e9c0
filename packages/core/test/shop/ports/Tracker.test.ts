import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { NoTrackingInfo, UpstreamFailed } from "../../../src/shop/ports/Errors.ts"
import { TrackResult } from "../../../src/shop/goods/Tracking.ts"
import type { TrackerOptions } from "../../../src/shop/ports/Tracker.ts"
import { Tracker } from "../../../src/shop/ports/Tracker.ts"
import { sampleTrackResult } from "../../../../testing/src/index.ts"
import { settings } from "../../ports/subjects.ts"

describe("Tracker", () => {
  const trackOf = (track: TrackerOptions["track"]) =>
    Effect.flatMap(Tracker, (tracker) => tracker.track({ number: "ABC12345" })).pipe(
      Effect.provide(Tracker.fromPromise({ track }, settings))
    )

  it.effect("reads what is missing as null, however deep", () =>
    Effect.gen(function* () {
      const result = yield* trackOf(
        async () =>
          ({
            number: "ABC12345",
            status: "InTransit",
            delivered: false,
            found: true,
            carrier: { name: "UPS" },
            lastMileCarrier: { name: "USPS" },
            latestEvent: { description: "Departed" },
            events: [{ description: "Departed" }],
            milestones: [{ stage: "Departure" }],
            estimatedDelivery: { to: "2026-03-05T20:00:00-05:00" },
            trackingPageUrl: "https://tracking.example/ABC12345",
            raw: { anything: true }
          }) as never
      )
      assert.isTrue(Schema.is(TrackResult)(result))
      assert.notProperty(result, "raw")
      assert.deepStrictEqual(result.carrier, { code: null, name: "UPS", homepage: null, country: null })
      assert.deepStrictEqual(result.lastMileCarrier, { code: null, name: "USPS" })
      assert.deepStrictEqual(result.events, [
        { time: null, description: "Departed", location: null, stage: null }
      ])
      assert.deepStrictEqual(result.milestones, [{ stage: "Departure", time: null }])
      assert.strictEqual(result.subStatus, null)
    })
  )

  it.effect("does not trust the fields of a refusal", () =>
    Effect.gen(function* () {
      const refusedWith = (thrown: object) =>
        Effect.flip(trackOf(() => Promise.reject(Object.assign(new Error(""), thrown))))
      const carrier = yield* refusedWith({
        _tag: "CarrierNotDetected",
        candidates: [
          { code: 1, name: "One" },
          { code: "2", name: "Two" },
          null,
          { code: Number.NaN, name: "" }
        ]
      })
      assert.strictEqual(carrier._tag, "CarrierNotDetected")
      assert.deepStrictEqual(Reflect.get(carrier, "candidates"), [{ code: 1, name: "One" }])
      assert.isNotEmpty(Reflect.get(carrier, "message"))
      const field = yield* refusedWith({ _tag: "AdditionalFieldRequired", field: "password" })
      assert.instanceOf(field, UpstreamFailed)
    })
  )

  it.effect("in memory: knows the given shipments", () =>
    Effect.gen(function* () {
      const tracker = yield* Tracker
      assert.strictEqual((yield* tracker.track({ number: "ABC12345" })).status, "InTransit")
      assert.instanceOf(yield* Effect.flip(tracker.track({ number: "XYZ98765" })), NoTrackingInfo)
    }).pipe(Effect.provide(Tracker.layerMemory([sampleTrackResult("ABC12345")])))
  )
})
