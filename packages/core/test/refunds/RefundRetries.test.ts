import { describe, expect, it } from "vitest"
import { RefundRetries } from "../../src/refunds/RefundRetries.ts"

const now = 1_000_000

describe("RefundRetries", () => {
  it("waits longer after each failure, up to an hour", () => {
    const retries = new RefundRetries()
    expect(retries.isWaiting("a", now)).toBe(false)
    const pauses = Array.from({ length: 12 }, () => {
      retries.note("a", now)
      let pause = 0
      while (retries.isWaiting("a", now + pause)) pause += 1_000
      return pause
    })
    expect(pauses.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000])
    expect(pauses.at(-1)).toBe(3_600_000)
    expect(retries.isWaiting("b", now)).toBe(false)
  })

  it("forgets a refund that was sent", () => {
    const retries = new RefundRetries()
    retries.note("a", now)
    retries.note("a", now)
    retries.forget("a")
    expect(retries.isWaiting("a", now)).toBe(false)
    retries.note("a", now)
    expect(retries.isWaiting("a", now + 5_000)).toBe(false)
  })

  it("remembers 10,000 refunds, and evicts the one that failed longest ago", () => {
    const retries = new RefundRetries()
    for (let index = 0; index < 10_000; index++) retries.note(`${index}`, now)
    retries.note("0", now)
    expect(retries.isWaiting("1", now)).toBe(true)
    retries.note("new", now)
    expect(retries.isWaiting("1", now)).toBe(false)
    expect(["0", "2", "9999", "new"].every((key) => retries.isWaiting(key, now))).toBe(true)
  })
})
