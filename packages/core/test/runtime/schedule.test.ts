import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { schedule, sleepsAs } from "../../src/runtime/schedule.ts"
import { dice } from "../domain/seeded.ts"

const firstSeed = Number(process.env["TEST_SEED"] ?? 402)

/** Schedules callbacks, cancels some, and returns which of them ran, and their delays in the order in which they ran. */
const runOf = (clock: Clock.Clock, seed: number, wait: (millis: number) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const { below } = dice(seed)
    const ran: Array<number> = []
    const delays = Array.from({ length: 6 }, () => 10 + 400 * below(3))
    const cancels = delays.map((millis, index) => schedule(clock, millis, () => ran.push(index)))
    if (below(2) === 0) cancels[below(cancels.length)]!()
    yield* wait(200)
    cancels[below(cancels.length)]!()
    yield* wait(1_000)
    // Canceling once more does nothing.
    for (const cancel of cancels) cancel()
    return { delays: ran.map((index) => delays[index]), ran: ran.toSorted() }
  })

describe("schedule", () => {
  it.live("calls back by real time as by any other clock (20 runs)", () =>
    Effect.gen(function* () {
      const realTime = yield* Clock.Clock
      const seeds = Array.from({ length: 20 }, (_, index) => firstSeed + index)
      const live = yield* Effect.forEach(
        seeds,
        (seed) => runOf(realTime, seed, (millis) => Effect.sleep(millis)),
        { concurrency: "unbounded" }
      )
      const tested = yield* Effect.forEach(seeds, (seed) =>
        Effect.gen(function* () {
          return yield* runOf(yield* Clock.Clock, seed, TestClock.adjust)
        }).pipe(Effect.provide(TestClock.layer()))
      )
      for (const [index, seed] of seeds.entries())
        assert.deepStrictEqual(live[index], tested[index], `with seed ${seed}`)
    })
  )

  /** A clock with the times of another, which records each sleep. */
  const noting = (other: Clock.Clock) => {
    const slept: Array<number> = []
    const clock: Clock.Clock = {
      currentTimeMillis: other.currentTimeMillis,
      currentTimeMillisUnsafe: () => other.currentTimeMillisUnsafe(),
      currentTimeNanos: other.currentTimeNanos,
      currentTimeNanosUnsafe: () => other.currentTimeNanosUnsafe(),
      monotonicTimeNanos: other.monotonicTimeNanos,
      monotonicTimeNanosUnsafe: () => other.monotonicTimeNanosUnsafe(),
      sleep: (duration) => {
        slept.push(Duration.toMillis(duration))
        return other.sleep(duration)
      }
    }
    return { clock, slept }
  }

  it.live("uses the platform's timer for a clock that sleeps as real time, and only for that", () =>
    Effect.gen(function* () {
      const realTime = yield* Clock.Clock
      const declared = noting(realTime)
      const other = noting(realTime)
      sleepsAs(declared.clock, realTime)
      sleepsAs(noting(other.clock).clock, other.clock)
      const ran: Array<string> = []
      schedule(declared.clock, 1, () => ran.push("declared"))
      schedule(other.clock, 1, () => ran.push("other"))
      yield* Effect.sleep(50)
      assert.deepStrictEqual(ran.toSorted(), ["declared", "other"])
      assert.deepStrictEqual([declared.slept, other.slept], [[], [1]])
    })
  )
})
