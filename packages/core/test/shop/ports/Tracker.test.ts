import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { UpstreamFailed } from "../../../src/shop/ports/PortErrors.ts"
import { TrackResult } from "../../../src/shop/goods/Tracking.ts"
import type { TrackerOptions } from "../../../src/shop/ports/Tracker.ts"
import { guardedTracker, Tracker } from "../../../src/shop/ports/Tracker.ts"
import { sampleTrackResult } from "../../../../testing/src/index.ts"

describe("Tracker", () => {
  const trackOf = (track: TrackerOptions["track"]) =>
    Effect.flatMap(guardedTracker, (tracker) => tracker.track({ number: "ABC12345" }, undefined)).pipe(
      Effect.provide(Tracker.layerPromise({ track }))
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

  it.effect("refuses a shipment with another number, and not one whose number is written otherwise", () =>
    Effect.gen(function* () {
      const sent = (number: string) => trackOf(async () => sampleTrackResult(number))
      assert.strictEqual((yield* sent("abc-12345")).number, "abc-12345")
      const failure = yield* Effect.flip(sent("ABC12346"))
      assert.instanceOf(failure, UpstreamFailed)
      assert.match(String((failure as UpstreamFailed).cause), /number: is that of another shipment/)
    })
  )

  it.effect("refuses the page of nothing", () =>
    Effect.gen(function* () {
      const paged = (path: string) =>
        trackOf(async () => ({
          ...sampleTrackResult("ABC12345"),
          trackingPageUrl: `https://tracking.example/${path}`
        }))
      for (const path of ["undefined", "?n=undefined", "?n=undefined&lang=en"])
        assert.match(String((yield* Effect.flip(paged(path))).cause), /trackingPageUrl: has/)
      for (const path of ["undefined-behavior", "?n=undefined-1", "?n=ABC12345"])
        assert.match((yield* paged(path)).trackingPageUrl, /^https:/)
    })
  )

  it.effect("takes an estimated day, and no other time without an offset", () =>
    Effect.gen(function* () {
      const smallest = {
        number: "ABC12345",
        status: "InTransit",
        delivered: false,
        found: true,
        carrier: {},
        events: [],
        milestones: [],
        trackingPageUrl: "https://tracking.example/ABC12345"
      } as const
      const estimated = yield* trackOf(async () => ({
        ...smallest,
        estimatedDelivery: { from: "2026-03-05", to: "2026-03-06T18:00-05:00" }
      }))
      assert.deepInclude(estimated.estimatedDelivery, { from: "2026-03-05", to: "2026-03-06T18:00-05:00" })
      for (const wrong of [
        { estimatedDelivery: { from: "2026-02-30" } },
        { estimatedDelivery: { to: "Thursday" } },
        { pickedUpAt: "2026-03-05" },
        { pickedUpAt: "2026-03-05T25:00:00Z" },
        { carrier: { homepage: "www.carrier.example" } }
      ])
        assert.instanceOf(
          yield* Effect.flip(trackOf(async () => ({ ...smallest, ...wrong }))),
          UpstreamFailed
        )
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
})
