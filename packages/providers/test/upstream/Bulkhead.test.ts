import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { over, scriptedClient, search } from "./scriptedClient.ts"

describe("the waiting room", () => {
  it.effect("caps the calls at once, in their order", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ afterMillis: 100 })
      const upstream = yield* over(scripted, { maxConcurrent: 3 })
      const calls = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 10 }, () => upstream.call(search)),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust(400)
      yield* Fiber.join(calls)
      assert.strictEqual(scripted.mostAtOnce(), 3)
      assert.strictEqual(scripted.sentAt.length, 10)
    })
  )

  it.effect("refuses calls when full, and frees the places of canceled ones", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ instead: "silence" })
      const upstream = yield* over(scripted, { maxConcurrent: 1, maxWaiting: 1 })
      const running = yield* Effect.forkChild(upstream.call(search))
      const waiting = yield* Effect.forkChild(upstream.call(search))
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Effect.flip(upstream.call(search)))._tag, "Overloaded")
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(running)
      scripted.steps[0] = {}
      yield* upstream.call(search)
    })
  )

  it.effect("lets no call wait past its deadline", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ instead: "silence" })
      const upstream = yield* over(scripted, {
        maxConcurrent: 1,
        deadlineMillis: 2_000,
        timeoutMillis: 9_000,
        retries: 0
      })
      const first = yield* Effect.forkChild(Effect.flip(upstream.call(search)))
      yield* TestClock.adjust(1)
      const second = yield* Effect.forkChild(Effect.flip(upstream.call(search)))
      yield* TestClock.adjust(1)
      assert.strictEqual(second.pollUnsafe(), undefined)
      yield* TestClock.adjust(2_000)
      assert.strictEqual((yield* Fiber.join(first))._tag, "TimedOut")
      // Its turn came with the first one's end, a millisecond before its own.
      assert.include(["Overloaded", "TimedOut"], (yield* Fiber.join(second))._tag)
    })
  )
})
