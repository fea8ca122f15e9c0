import { describe, expect, it } from "vitest"
import { ExpiringMap } from "../../src/runtime/ExpiringMap.ts"
import { property } from "../domain/seeded.ts"

describe("an expiring map", () => {
  it("returns an entry until its lifetime is over, and then drops it", () => {
    const map = new ExpiringMap<string, number>({ capacity: 5, lifetimeMillis: 100 })
    map.set("a", 1, 0)
    expect([map.get("a", 99), map.size]).toEqual([1, 1])
    expect([map.get("a", 100), map.size]).toEqual([undefined, 0])
  })

  it("starts the lifetime anew when an entry is set again", () => {
    const map = new ExpiringMap<string, number>({ capacity: 5, lifetimeMillis: 100 })
    map.set("a", 1, 0)
    map.set("a", 2, 50)
    expect([map.get("a", 149), map.get("a", 150)]).toEqual([2, undefined])
  })

  property("never holds more than its capacity, nor returns what expired", 200, (dice) => {
    const limits = { capacity: 1 + dice.below(5), lifetimeMillis: 1 + dice.below(20) }
    const map = new ExpiringMap<number, number>(limits)
    const latest = new Map<number, { readonly value: number; readonly atMillis: number }>()
    let nowMillis = 0
    for (let step = 0; step < 60; step++) {
      nowMillis += dice.below(6)
      const key = dice.below(8)
      if (dice.below(2) === 0) {
        map.set(key, step, nowMillis)
        latest.set(key, { value: step, atMillis: nowMillis })
        expect(map.get(key, nowMillis)).toBe(step)
      }
      const found = map.get(key, nowMillis)
      const set = latest.get(key)
      if (found !== undefined) {
        expect(found).toBe(set?.value)
        expect(nowMillis - set!.atMillis).toBeLessThan(limits.lifetimeMillis)
      }
      expect(map.size).toBeLessThanOrEqual(limits.capacity)
    }
  })
})
