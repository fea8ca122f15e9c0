import { describe, expect } from "vitest"
import { SortedSet } from "../../src/runtime/SortedSet.ts"
import { property } from "../domain/seeded.ts"

interface Numbered {
  readonly atMillis: number
  readonly number: number
}

const byTime = (left: Numbered, right: Numbered): number =>
  left.atMillis - right.atMillis || left.number - right.number
/** Eight numbers have one time. */
const numbered = (number: number): Numbered => ({ atMillis: number >> 3, number })

describe("a sorted set", () => {
  property("holds what an array that is sorted after each change holds", 40, (dice) => {
    const set = new SortedSet<Numbered>(byTime)
    const known = new Set<number>()
    const range = dice.pick([5, 100, 5_000])
    for (let step = 0; step < 3_000; step++) {
      const number = dice.pick([dice.below(range), step])
      if (dice.below(3) === 0) {
        set.delete(numbered(number))
        known.delete(number)
      } else {
        set.add(numbered(number))
        known.add(number)
      }
      if (step % 300 !== 0) continue
      const sorted = Array.from(known).toSorted((left, right) => left - right)
      const place = dice.below(range + 2) - 1
      expect(Array.from(set.from(numbered(place)), (item) => item.number)).toEqual(
        sorted.filter((other) => other >= place)
      )
      expect(Array.from(set.before(numbered(place)), (item) => item.number)).toEqual(
        sorted.filter((other) => other < place).toReversed()
      )
    }
  })

  property("holds one of several items that are the same: the last", 20, (dice) => {
    const set = new SortedSet<Numbered & { readonly step: number }, Numbered>(byTime)
    const last = new Map<number, number>()
    for (let step = 0; step < 50; step++) {
      const number = dice.below(6)
      set.add({ ...numbered(number), step })
      last.set(number, step)
    }
    expect(Array.from(set.from(numbered(0)), ({ number, step }) => [number, step])).toEqual(
      Array.from(last).toSorted(([left], [right]) => left - right)
    )
  })
})
