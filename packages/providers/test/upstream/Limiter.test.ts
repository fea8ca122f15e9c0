import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { SlidingWindow } from "../../src/upstream/Limiter.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

describe("SlidingWindow", () => {
  it.prop(
    "never exceeds the rate in any window, and gives turns in order as soon as possible",
    [
      between(1, 5),
      between(1, 1_000),
      Schema.Array(between(0, 700)).check(Schema.isMaxLength(40)),
      between(0, 3_000)
    ],
    ([requests, perMillis, steps, patience]) => {
      const turns = new SlidingWindow({ requests, perMillis })
      const given: Array<number> = []
      let time = 0
      for (const step of steps) {
        time += step
        const at = turns.take(time, time + patience)
        const oldest = given.length < requests ? undefined : given[given.length - requests]!
        const due = oldest === undefined ? time : Math.max(time, oldest + perMillis)
        assert.strictEqual(at, due <= time + patience ? due : undefined)
        if (at !== undefined) given.push(at)
      }
      return given.every(
        (at, index) =>
          (index === 0 || at >= given[index - 1]!) &&
          (index < requests || at - given[index - requests]! >= perMillis)
      )
    }
  )
  it("refuses an invalid rate", () => {
    for (const rate of [
      { requests: 0, perMillis: 1 },
      { requests: 1.5, perMillis: 1 },
      { requests: 1, perMillis: 0 },
      { requests: 1, perMillis: Number.NaN }
    ]) {
      assert.throws(() => new SlidingWindow(rate), RangeError)
    }
  })
})
