import { describe, expect, it } from "vitest"
import { CircuitBreaker } from "../../../src/toll/facilitator/CircuitBreaker.ts"

/** A breaker that opened at 0. */
const opened = (): CircuitBreaker => {
  const breaker = new CircuitBreaker()
  expect([0, 0, 0].map((at) => breaker.recordFailure(at))).toEqual([false, false, true])
  return breaker
}

describe("a circuit", () => {
  it("opens after three failures in a row", () => {
    const breaker = new CircuitBreaker()
    for (let time = 0; time < 5; time++) {
      breaker.recordFailure(0)
      breaker.recordFailure(0)
      breaker.recordSuccess()
    }
    expect(breaker.isAvailable(0)).toBe(true)
  })

  it("lets one call try after each pause, which doubles up to two minutes", () => {
    const breaker = opened()
    let nowMillis = 0
    for (const pauseMillis of [10_000, 20_000, 40_000, 80_000, 120_000, 120_000]) {
      expect(breaker.isAvailable(nowMillis + pauseMillis - 1)).toBe(false)
      nowMillis += pauseMillis
      expect(breaker.isAvailable(nowMillis)).toBe(true)
      breaker.begin(nowMillis)
      expect(breaker.isAvailable(nowMillis)).toBe(false)
      expect(breaker.recordFailure(nowMillis)).toBe(false)
    }
  })

  it("is closed until it opens, and open until a success, also after its pause", () => {
    const breaker = new CircuitBreaker()
    expect(breaker.isClosed).toBe(true)
    breaker.recordFailure(0)
    breaker.recordFailure(0)
    expect(breaker.isClosed).toBe(true)
    breaker.recordFailure(0)
    expect(breaker.isClosed).toBe(false)
    breaker.begin(10_000)
    expect(breaker.isClosed).toBe(false)
    breaker.recordSuccess()
    expect(breaker.isClosed).toBe(true)
  })

  it("a call during the pause doesn't prolong it", () => {
    const breaker = opened()
    breaker.begin(5_000)
    expect([breaker.isAvailable(9_999), breaker.isAvailable(10_000)]).toEqual([false, true])
  })

  it("stays available while it is closed, also when the clock is set back", () => {
    const breaker = new CircuitBreaker()
    breaker.begin(10_000)
    expect(breaker.isAvailable(9_000)).toBe(true)
  })

  it("closes with a success, and then opens for the first pause again", () => {
    const breaker = opened()
    breaker.begin(10_000)
    breaker.recordFailure(10_000)
    breaker.recordSuccess()
    expect(breaker.isAvailable(10_000)).toBe(true)
    for (let time = 0; time < 3; time++) breaker.recordFailure(50_000)
    expect([breaker.isAvailable(59_999), breaker.isAvailable(60_000)]).toEqual([false, true])
  })
})
