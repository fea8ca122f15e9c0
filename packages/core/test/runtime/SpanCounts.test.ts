import { describe, expect, it } from "vitest"
import { SpanCounts } from "../../src/runtime/SpanCounts.ts"

describe("counts in spans of time", () => {
  it("start with a key's first event, and anew with the first one after the span", () => {
    const counts = new SpanCounts({ maxKeys: 10, spanMillis: 100 })
    expect(counts.find("a", 0)).toBeUndefined()
    expect([counts.add("a", 0), counts.add("a", 99), counts.add("b", 99)]).toEqual([1, 2, 1])
    expect(counts.find("a", 99)).toEqual({ count: 2, untilMillis: 100 })
    expect(counts.find("a", 100)).toBeUndefined()
    expect(counts.add("a", 100)).toBe(1)
    expect(counts.find("a", 199)).toEqual({ count: 1, untilMillis: 200 })
  })

  it("take back events of the current span, and no more than it has", () => {
    const counts = new SpanCounts({ maxKeys: 10, spanMillis: 100 })
    counts.remove("a", 0)
    counts.add("a", 0)
    counts.add("a", 0)
    counts.remove("a", 99)
    expect(counts.find("a", 99)).toEqual({ count: 1, untilMillis: 100 })
    counts.remove("a", 100)
    expect(counts.find("a", 99)?.count).toBe(1)
    counts.remove("a", 99)
    counts.remove("a", 99)
    expect(counts.add("a", 99)).toBe(1)
  })

  it("are bounded: the key whose span started longest ago is evicted", () => {
    const counts = new SpanCounts({ maxKeys: 2, spanMillis: 100 })
    for (const key of ["a", "b", "a", "c"]) counts.add(key, 0)
    expect(counts.size).toBe(2)
    expect([counts.find("a", 0), counts.add("b", 0), counts.add("c", 0)]).toEqual([undefined, 2, 2])
  })
})
