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

  it("lets one call try after each pause", () => {
    const breaker = opened()
    let nowMillis = 0
    for (let time = 0; time < 3; time++) {
      expect(breaker.isAvailable(nowMillis + 29_999)).toBe(false)
      nowMillis += 30_000
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
    breaker.begin(30_000)
    expect(breaker.isClosed).toBe(false)
    breaker.recordSuccess()
    expect(breaker.isClosed).toBe(true)
  })

  it("a call during the pause doesn't prolong it", () => {
    const breaker = opened()
    breaker.begin(5_000)
    expect([breaker.isAvailable(29_999), breaker.isAvailable(30_000)]).toEqual([false, true])
  })

  it("stays available while it is closed, also when the clock is set back", () => {
    const breaker = new CircuitBreaker()
    breaker.begin(10_000)
    expect(breaker.isAvailable(9_000)).toBe(true)
  })

  it("closes with a success, and opens again after three failures", () => {
    const breaker = opened()
    breaker.begin(30_000)
    breaker.recordFailure(30_000)
    breaker.recordSuccess()
    expect(breaker.isAvailable(30_000)).toBe(true)
    expect([0, 0, 0].map(() => breaker.recordFailure(50_000))).toEqual([false, false, true])
    expect([breaker.isAvailable(79_999), breaker.isAvailable(80_000)]).toEqual([false, true])
  })
})
