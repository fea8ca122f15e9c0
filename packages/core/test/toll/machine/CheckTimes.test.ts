import { expect, it } from "vitest"
import {
  checkAgainMillis,
  isBeyondPatience,
  patience,
  watchUntilMillis
} from "../../../src/toll/machine/CheckTimes.ts"

it("pauses double from fifteen seconds up to an hour", () => {
  const pauses = [0, 1, 2, 3, 7, 8, 100].map((attempts) => checkAgainMillis(attempts, 1_000) - 1_000)
  expect(pauses).toEqual([15_000, 30_000, 60_000, 120_000, 1_920_000, 3_600_000, 3_600_000])
})

it("an operator is notified after every twelfth failed attempt", () => {
  const reported = Array.from({ length: 36 }, (_, attempts) => attempts).filter(isBeyondPatience)
  expect(reported).toEqual([patience - 1, 2 * patience - 1, 3 * patience - 1])
})

it("a voided payment is checked a minute after no reorganization can include it any more", () => {
  expect(watchUntilMillis("1000", 0)).toBe(1_060_000)
  expect(watchUntilMillis("1000", 900)).toBe(1_960_000)
})
