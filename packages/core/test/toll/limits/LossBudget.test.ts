import { describe, expect, it } from "vitest"
import { LossBudget } from "../../../src/toll/limits/LossBudget.ts"
import { property } from "../../domain/seeded.ts"

const hour = 3_600_000

describe("a budget of losses", () => {
  it("gives its size at once, and then nothing", () => {
    const budget = new LossBudget({ perHourAtomic: 100n })
    expect([60n, 41n, 40n, 1n, 0n].map((amount) => budget.take(amount, 5))).toEqual([
      true,
      false,
      true,
      false,
      true
    ])
  })

  it("refills linearly over an hour", () => {
    const budget = new LossBudget({ perHourAtomic: 100n })
    expect(budget.take(100n, 0)).toBe(true)
    expect(budget.take(25n, hour / 4 - 1)).toBe(false)
    expect(budget.take(25n, hour / 4)).toBe(true)
    expect(budget.take(1n, hour / 4)).toBe(false)
    expect(budget.take(100n, hour / 4 + hour)).toBe(true)
  })

  it("shows the share that is used, which time and amounts given back lower, and changes nothing", () => {
    const budget = new LossBudget({ perHourAtomic: 100n })
    expect(budget.usedAt(0)).toBe(0)
    budget.take(80n, 0)
    const seen = [0, hour / 4, hour * 2, 0].map((atMillis) => budget.usedAt(atMillis))
    expect(seen).toEqual([0.8, 0.55, 0, 0.8])
    budget.giveBack(30n)
    expect(budget.usedAt(0)).toBe(0.5)
    expect(budget.take(51n, 0)).toBe(false)
  })

  it("is more than used up by a call above the whole budget, and by any without one", () => {
    const small = new LossBudget({ perHourAtomic: 100n })
    small.take(150n, 0)
    expect(small.usedAt(0)).toBe(1.5)
    const none = new LossBudget({ perHourAtomic: 0n })
    expect(none.usedAt(0)).toBe(0)
    none.take(5n, 0)
    expect(none.usedAt(0)).toBe(1)
  })

  it("refills amounts that are no whole unit in a millisecond, however often it is read", () => {
    const budget = new LossBudget({ perHourAtomic: 7n })
    expect(budget.take(7n, 0)).toBe(true)
    let given = 0
    for (let millis = 1; millis <= hour; millis += 997) if (budget.take(1n, millis)) given++
    expect(given).toBe(6)
    expect(budget.take(1n, hour)).toBe(true)
    expect(budget.take(1n, hour)).toBe(false)
  })

  it("is never fuller than its size", () => {
    const budget = new LossBudget({ perHourAtomic: 100n })
    expect(budget.take(10n, 0)).toBe(true)
    budget.giveBack(10n)
    budget.giveBack(10n)
    expect(budget.take(101n, 10 * hour)).toBe(true)
    expect(budget.take(1n, 10 * hour)).toBe(false)
    const other = new LossBudget({ perHourAtomic: 100n })
    expect(other.take(100n, 100 * hour)).toBe(true)
    expect(other.take(1n, 100 * hour)).toBe(false)
  })

  it("gives again what was given back", () => {
    const budget = new LossBudget({ perHourAtomic: 100n })
    expect(budget.take(100n, 0)).toBe(true)
    budget.giveBack(30n)
    expect(budget.take(31n, 0)).toBe(false)
    expect(budget.take(30n, 0)).toBe(true)
  })

  it("always allows one call, however dear, and has its debt worked off first", () => {
    const budget = new LossBudget({ perHourAtomic: 100n })
    expect(budget.take(1n, 0)).toBe(true)
    expect(budget.take(250n, 0)).toBe(false)
    budget.giveBack(1n)
    expect(budget.take(250n, 0)).toBe(true)
    expect(budget.take(1n, 1.5 * hour)).toBe(false)
    expect(budget.take(50n, 2 * hour)).toBe(true)
    expect(budget.take(250n, 2 * hour)).toBe(false)
    expect(budget.take(250n, 3 * hour)).toBe(true)
  })

  it("leaves what is reserved for others, unless it is full", () => {
    const budget = new LossBudget({ perHourAtomic: 100n })
    expect(budget.take(60n, 0, 50n)).toBe(true)
    expect([budget.take(1n, 0, 40n), budget.take(1n, 0, 39n), budget.take(39n, 0)]).toEqual([
      false,
      true,
      true
    ])
  })

  it("of nothing allows one call until it is given back", () => {
    const budget = new LossBudget({ perHourAtomic: 0n })
    expect([budget.take(5n, 0), budget.take(5n, 100 * hour)]).toEqual([true, false])
    budget.giveBack(5n)
    expect(budget.take(5n, 100 * hour)).toBe(true)
  })

  it("refills nothing while a clock that was set back catches up", () => {
    const budget = new LossBudget({ perHourAtomic: 100n })
    expect(budget.take(100n, 10 * hour)).toBe(true)
    expect(budget.take(1n, hour)).toBe(false)
    expect(budget.take(50n, 1.5 * hour)).toBe(true)
    expect(budget.take(1n, 1.5 * hour)).toBe(false)
  })
})

describe("any course of a budget of losses", () => {
  /** Amounts taken and kept, with their times. */
  interface Taken {
    readonly atMillis: number
    readonly amount: bigint
  }

  property("gives away no more in any span than its size and what the span refills", 300, (dice) => {
    const size = BigInt(1 + dice.below(1_000_000))
    const budget = new LossBudget({ perHourAtomic: size })
    const taken: Array<Taken> = []
    let now = dice.below(hour)
    for (let step = 0; step < 60; step++) {
      now += dice.pick([0, 1, dice.below(1_000), dice.below(hour / 2)])
      const amount = BigInt(dice.below(Number(size) + 1))
      if (!budget.take(amount, now)) continue
      // Work that was paid for after all counts for nothing.
      if (dice.below(4) === 0) budget.giveBack(amount)
      else taken.push({ atMillis: now, amount })
    }
    for (const [index, first] of taken.entries()) {
      let sum = 0n
      for (const { amount, atMillis } of taken.slice(index)) {
        sum += amount
        expect(sum * BigInt(hour)).toBeLessThanOrEqual(size * BigInt(hour + atMillis - first.atMillis))
      }
    }
  })

  property("gives every amount up to its size an hour after the last one", 300, (dice) => {
    const size = BigInt(1 + dice.below(1_000_000))
    const budget = new LossBudget({ perHourAtomic: size })
    let now = 0
    for (let step = 0; step < 20; step++) {
      now += dice.below(hour)
      budget.take(BigInt(dice.below(Number(size) + 1)), now)
    }
    expect(budget.take(size, now + hour)).toBe(true)
    expect(budget.take(1n, now + hour)).toBe(false)
  })
})
