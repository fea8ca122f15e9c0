import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { NextDue } from "../../../src/shop/orders/NextDue.ts"

/** Whether a pause has ended after some time. */
const endedAfter = (pause: Fiber.Fiber<void>, millis: number) =>
  Effect.gen(function* () {
    yield* TestClock.adjust(millis)
    return pause.pollUnsafe() !== undefined
  })

describe("NextDue", () => {
  it.effect("pauses for five seconds", () =>
    Effect.gen(function* () {
      const pause = yield* Effect.forkChild(new NextDue().pause)
      assert.isFalse(yield* endedAfter(pause, 4_999))
      assert.isTrue(yield* endedAfter(pause, 1))
    })
  )

  it.effect("ends at the earliest due time, also one that is noted during the pause", () =>
    Effect.gen(function* () {
      const next = new NextDue()
      next.note(3_000)
      next.note(undefined)
      const pause = yield* Effect.forkChild(next.pause)
      assert.isFalse(yield* endedAfter(pause, 500))
      next.note(1_000)
      next.note(2_000)
      assert.isFalse(yield* endedAfter(pause, 499))
      assert.isTrue(yield* endedAfter(pause, 1))
    })
  )

  it.effect("doesn't pause for what is due, and then pauses anew", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust(1_000)
      const next = new NextDue()
      next.note(1_000)
      yield* next.pause
      const pause = yield* Effect.forkChild(next.pause)
      assert.isFalse(yield* endedAfter(pause, 4_999))
      assert.isTrue(yield* endedAfter(pause, 1))
    })
  )
})
