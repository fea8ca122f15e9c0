import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { unpaid } from "../../src/upstream/UnpaidCalls.ts"
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

  it.effect("keeps half of the places for calls that aren't for unpaid callers", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ afterMillis: 1_000 })
      const upstream = yield* over(scripted, { maxConcurrent: 4, maxWaiting: 4 })
      const free = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 6 }, () => Effect.result(unpaid(upstream.call(search)))),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust(1)
      assert.strictEqual(scripted.sentAt.length, 2)
      const paid = yield* Effect.forkChild(
        Effect.all([upstream.call(search), upstream.call(search)], { concurrency: 2 })
      )
      yield* TestClock.adjust(1_000)
      yield* Fiber.join(paid)
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(
        (yield* Fiber.join(free)).map((each) => (each._tag === "Success" ? "sent" : each.failure._tag)),
        ["sent", "sent", "sent", "sent", "Overloaded", "Overloaded"]
      )
    })
  )

  it.effect("opens no circuit because calls had to wait", () =>
    Effect.gen(function* () {
      const scripted = scriptedClient({ afterMillis: 1_500 })
      const upstream = yield* over(scripted, {
        maxConcurrent: 6,
        deadlineMillis: 8_000,
        timeoutMillis: 5_000
      })
      const outcomes = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 60 }, () => Effect.result(upstream.call(search))),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust(10_000)
      const tags = (yield* Fiber.join(outcomes)).map((each) =>
        each._tag === "Success" ? "sent" : each.failure._tag
      )
      assert.deepStrictEqual(
        [...new Set(tags), scripted.sentAt.length, upstream.usage().circuit],
        ["sent", "Overloaded", 18, "closed"]
      )
    })
  )

  it.effect("lets no call wait past half of its deadline", () =>
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
      yield* TestClock.adjust(998)
      assert.strictEqual(second.pollUnsafe(), undefined)
      yield* TestClock.adjust(1_001)
      assert.strictEqual((yield* Fiber.join(first))._tag, "TimedOut")
      assert.strictEqual((yield* Fiber.join(second))._tag, "Overloaded")
    })
  )
})
