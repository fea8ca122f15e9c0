import { describe, expect, it } from "vitest"
import {
  workLeaseMillis,
  maxPlacingDelayMillis,
  placingBackoff,
  refundBackoff,
  statusBackoff,
  statusIntervalMillis
} from "../../../src/shop/orders/OrderTimings.ts"

const [second, minute, hour] = [1_000, 60_000, 3_600_000]

describe("the pause before an order's status is polled again", () => {
  it.each([
    [0, 15 * second],
    [minute, 15 * second],
    [minute + 4, 15 * second + 1],
    [hour, 15 * minute],
    [24 * hour, 6 * hour],
    [60 * 24 * hour, 6 * hour]
  ])("after %i milliseconds without a change is %i", (unchangedMillis, pause) => {
    expect(statusIntervalMillis(unchangedMillis)).toBe(pause)
  })
})

describe("the pause after a failed step", () => {
  it.each([
    ["placing", placingBackoff, 2 * second, 15 * minute],
    ["a refund", refundBackoff, 5 * second, hour],
    ["a status", statusBackoff, 15 * second, hour]
  ])("of %s grows from %i to %i", (_, pause, first, longest) => {
    expect([pause(0), pause(1), pause(100)]).toEqual([first, 2 * first, longest])
  })
})

it("a placement that begins as late as it may ends within its lease", () => {
  expect(maxPlacingDelayMillis).toBeLessThan(workLeaseMillis / 2)
})
