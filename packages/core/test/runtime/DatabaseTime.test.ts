import { Clock, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { DatabaseTime, errorOf, type Instant, type Reading, skewOf } from "../../src/runtime/DatabaseTime.ts"

const at = (wallMillis: number, monotonicMillis: number): Instant => ({ wallMillis, monotonicMillis })

const real: Clock.Clock = Effect.runSync(Clock.clockWith(Effect.succeed))

/** A process whose clocks the test sets. */
const processAt = (start: Instant) => {
  const own = { ...start }
  const clock: Clock.Clock = {
    currentTimeMillis: real.currentTimeMillis,
    currentTimeNanos: real.currentTimeNanos,
    currentTimeNanosUnsafe: () => 7n,
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration),
    currentTimeMillisUnsafe: () => own.wallMillis,
    monotonicTimeNanosUnsafe: () => BigInt(own.monotonicMillis) * 1_000_000n
  }
  return { own, clock }
}

/** A reading that took 40 ms, while the process was 1000 ms ahead. */
const reading: Reading = { databaseMillis: 9_020, before: at(10_000, 500), after: at(10_040, 540) }

describe("a reading of a database's clock", () => {
  it("returns how far the process is ahead, and how far that may be wrong", () => {
    expect(skewOf(reading)).toBe(1_000)
    expect(errorOf(reading)).toBe(20)
  })
})

describe("the time of a database", () => {
  it("goes on with the monotonic clock, in whole milliseconds", () => {
    const { clock, own } = processAt(at(10_040, 540))
    const time = new DatabaseTime(clock, { ...reading, databaseMillis: 9_020.7 })
    expect(time.currentTimeMillisUnsafe()).toBe(9_040)
    Object.assign(own, at(10_140, 640))
    expect(time.currentTimeMillisUnsafe()).toBe(9_140)
    expect(Effect.runSync(time.currentTimeMillis)).toBe(9_140)
  })

  it("isn't moved by a wall clock that is set back", () => {
    const { clock, own } = processAt(at(10_040, 540))
    const time = new DatabaseTime(clock, reading)
    Object.assign(own, at(3_000, 640))
    expect(time.hasJumped).toBe(true)
    expect(time.currentTimeMillisUnsafe()).toBe(9_140)
  })

  it("is the later one while it is uncertain", () => {
    const { clock, own } = processAt(at(10_040, 540))
    const time = new DatabaseTime(clock, reading)
    Object.assign(own, at(110_040, 540))
    expect(time.hasJumped).toBe(true)
    expect(time.currentTimeMillisUnsafe()).toBe(109_040)
  })

  it("stays as it was with a reading that agrees within its error, and is set by any other", () => {
    const { clock, own } = processAt(at(10_040, 540))
    const time = new DatabaseTime(clock, reading)
    Object.assign(own, at(11_040, 1_540))
    expect(time.currentTimeMillisUnsafe()).toBe(10_040)
    time.adopt({ databaseMillis: 10_030, before: at(11_000, 1_500), after: at(11_040, 1_540) })
    expect(time.currentTimeMillisUnsafe()).toBe(10_040)
    time.adopt({ databaseMillis: 10_500, before: at(11_000, 1_500), after: at(11_040, 1_540) })
    expect(time.currentTimeMillisUnsafe()).toBe(10_520)
  })

  it("leaves what isn't the time of day to the process's clock", () => {
    const { clock } = processAt(at(10_040, 540))
    const time = new DatabaseTime(clock, reading)
    expect([time.currentTimeNanosUnsafe(), time.monotonicTimeNanosUnsafe()]).toEqual([7n, 540_000_000n])
  })
})
