import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { Till, Track, Tracker, type TrackResult } from "../../src/effect.ts"
import { memory } from "../../src/stores/memory.ts"
import { sampleTrackResult } from "../../../testing/src/samples.ts"
import { track, trackingNumber } from "../toll/openTill.ts"
import { advance, fakes, pay, settings, settle, testTracer, trackingTill, started } from "./hosted.ts"

describe("Two tills in one host", () => {
  it.effect("share their ports, and neither operations nor settings", () =>
    Effect.gen(function* () {
      let builds = 0
      const shared = Layer.effect(
        Tracker,
        Effect.sync(() => {
          builds++
          return { track: ({ number }) => Effect.succeed(sampleTrackResult(number)) }
        })
      )
      const { chainLayer, facilitatorLayer } = fakes()
      const ports = Layer.mergeAll(shared, facilitatorLayer, chainLayer, memory())
      const till = (price: string) =>
        Till.layer({ ...settings, prices: { track: price } }, [Track.layer]).pipe(Layer.provide(ports))
      class First extends Context.Service<First, Till["Service"]>()("First") {}
      class Second extends Context.Service<Second, Till["Service"]>()("Second") {}
      const both = yield* Layer.build(
        Layer.merge(
          Layer.effect(First, Till).pipe(Layer.provide(till("0.25"))),
          Layer.effect(Second, Till).pipe(Layer.provide(till("0.75")))
        )
      )
      const priceOf = Effect.fnUntraced(function* ({ fetch }: Till["Service"]) {
        const response = yield* fetch(new Request(settings.baseUrl + track.path))
        const { accepts } = (yield* Effect.promise(() => response.json())) as {
          readonly accepts: ReadonlyArray<{ readonly maxAmountRequired: string }>
        }
        return accepts[0]?.maxAmountRequired
      })
      assert.strictEqual(yield* priceOf(Context.get(both, First)), "250000")
      assert.strictEqual(yield* priceOf(Context.get(both, Second)), "750000")
      assert.strictEqual(builds, 1)
    })
  )
})

it.effect("a till is built once wherever its layer is provided", () =>
  Effect.gen(function* () {
    class First extends Context.Service<First, Till["Service"]>()("First") {}
    class Second extends Context.Service<Second, Till["Service"]>()("Second") {}
    const till = trackingTill(fakes())
    const both = yield* Layer.build(
      Layer.merge(
        Layer.effect(First, Till).pipe(Layer.provide(till)),
        Layer.effect(Second, Till).pipe(Layer.provide(till))
      )
    )
    assert.strictEqual(Context.get(both, First), Context.get(both, Second))
  })
)

describe("Closing the scope of a till", () => {
  /** A till in a scope of its own that begins to close while a call waits for its provider. */
  const withCall = (tracked: Effect.Effect<TrackResult>) =>
    Effect.gen(function* () {
      yield* started
      const entered = yield* Deferred.make<void>()
      const trackerLayer = Layer.succeed(Tracker, {
        track: () => Effect.andThen(Deferred.succeed(entered, undefined), tracked)
      })
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(
        trackingTill({ ...fakes(), trackerLayer }, memory(), { upstreamTimeoutMillis: 40_000 }),
        scope
      )
      const paid = yield* Effect.forkDetach(Effect.provide(pay(), context))
      yield* Deferred.await(entered)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* settle
      assert.isUndefined(closing.pollUnsafe())
      return { closing, paid }
    })

  it.effect("waits for a running call", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<TrackResult>()
      const { closing, paid } = yield* withCall(Deferred.await(gate))
      yield* Deferred.succeed(gate, sampleTrackResult(trackingNumber))
      assert.strictEqual((yield* Fiber.join(paid)).status, 200)
      yield* Fiber.join(closing)
    })
  )

  it.effect("waits up to 30 seconds", () =>
    Effect.gen(function* () {
      const { closing } = yield* withCall(Effect.never)
      yield* advance("29 seconds")
      assert.isUndefined(closing.pollUnsafe())
      yield* advance("1 second")
      yield* Fiber.join(closing)
    })
  )

  it.effect("ends background work", () => {
    const { layer, spans } = testTracer()
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* Layer.buildWithScope(trackingTill(fakes()), scope)
      yield* settle
      yield* Scope.close(scope, Exit.void)
      const before = spans.length
      assert.isAbove(before, 0)
      yield* advance("60 seconds")
      assert.strictEqual(spans.length, before)
    }).pipe(Effect.provide(layer))
  })
})
