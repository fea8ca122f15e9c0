import { describe, expect, it } from "vitest"
import { nameOfDay, wholeDays } from "../../src/runtime/wholeDays.ts"
import { property } from "../domain/seeded.ts"

const day = 86_400_000

describe("the whole days of a span", () => {
  it("are those that begin and end in it", () => {
    const noon = day / 2
    expect(wholeDays(3 * day + noon, 6 * day + noon)).toEqual({
      days: { from: 4, before: 6 },
      untilDays: 4 * day,
      afterDays: 6 * day
    })
    expect(wholeDays(3 * day, 4 * day).days).toEqual({ from: 3, before: 4 })
    expect(wholeDays(3 * day + 1, 5 * day - 1).days).toEqual({ from: 0, before: 0 })
  })

  property("leave a rest that is less than a day on either side, for any span of dates", 200, (dice) => {
    const millis = () => dice.below(40 * day) * dice.pick([-1, 1, 2_000, 200_000])
    const [from, before] = [millis(), millis()]
    const { afterDays, days, untilDays } = wholeDays(from, before)
    const covered = Math.max(0, untilDays - from) + (days.before - days.from) * day + (before - afterDays)
    expect(covered).toBe(Math.max(0, before - from))
    if (days.before > days.from) expect(nameOfDay(days.before) > nameOfDay(days.from)).toBe(true)
  })
})
