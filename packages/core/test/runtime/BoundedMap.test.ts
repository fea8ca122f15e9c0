import { describe, expect, it } from "vitest"
import { BoundedMap } from "../../src/runtime/BoundedMap.ts"
import { property, shareOfRuns } from "../domain/seeded.ts"

describe("a bounded map", () => {
  it("evicts the entry that was set longest ago, however often it was read", () => {
    const map = new BoundedMap<string, number>(2)
    expect(map.set("a", 1)).toBeUndefined()
    expect(map.set("b", 2)).toBeUndefined()
    expect(map.get("a")).toBe(1)
    expect(map.set("c", 3)).toBe("a")
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([undefined, 2, 3])
  })

  it("keeps an entry that is set again, and evicts none for it", () => {
    const map = new BoundedMap<string, number>(2)
    map.set("a", 1)
    map.set("b", 2)
    expect(map.set("a", 3)).toBeUndefined()
    expect(map.set("c", 4)).toBe("b")
    expect([map.get("a"), map.size]).toEqual([3, 2])
  })

  property(
    "is the same as a list of entries in the order in which they were set",
    shareOfRuns(300),
    (dice) => {
      const capacity = 1 + dice.below(6)
      const map = new BoundedMap<number, number>(capacity)
      let entries: ReadonlyArray<readonly [key: number, value: number]> = []
      const without = (key: number) => entries.filter(([other]) => other !== key)
      for (let step = 0; step < 60; step++) {
        const key = dice.below(9)
        if (dice.below(4) === 0) {
          expect(map.delete(key)).toBe(without(key).length < entries.length)
          entries = without(key)
        } else {
          const all = [...without(key), [key, step] as const]
          const evicted = all.length > capacity ? all[0]![0] : undefined
          expect(map.set(key, step)).toBe(evicted)
          entries = all.slice(-capacity)
        }
        expect(map.size).toBe(entries.length)
        for (let known = 0; known < 9; known++) expect(map.get(known)).toBe(new Map(entries).get(known))
      }
    }
  )
})
