import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import {
  format,
  formatAtomic,
  fromDollars,
  MoneyText,
  parseAtomic,
  shareRoundedUp,
  toText,
  usd
} from "../../src/domain/Money.ts"
import { property } from "./seeded.ts"

describe("shareRoundedUp", () => {
  it.each([
    [0n, 250, 0n],
    [1n, 0, 0n],
    [1n, 1, 1n],
    [10_000n, 1, 1n],
    [10_001n, 1, 2n],
    [10_000n, 10_000, 10_000n],
    [26_640_000n, 250, 666_000n]
  ])("of %i and %i basis points is %i", (amount, basisPoints, share) => {
    expect(shareRoundedUp(amount, basisPoints)).toBe(share)
  })
})

describe("parseAtomic", () => {
  it.each([
    ["0", 0n],
    ["0.01", 10_000n],
    ["0.52", 520_000n],
    ["0.000001", 1n],
    ["1", 1_000_000n],
    ["1.0", 1_000_000n],
    ["19.99", 19_990_000n],
    ["007.50", 7_500_000n],
    // Doubles can't hold these.
    ["0.1", 100_000n],
    ["0.3", 300_000n],
    ["4.35", 4_350_000n],
    ["9007199254.740993", 9_007_199_254_740_993n],
    ["999999999999999.999999", 999_999_999_999_999_999_999n]
  ])("reads %s exactly", (text, atomic) => {
    expect(parseAtomic(text)).toBe(atomic)
  })

  it.each([
    ["0.0000001", 1n],
    ["0.0000010", 1n],
    ["0.0000011", 2n],
    ["0.9999999", 1_000_000n],
    ["1.999999000000", 1_999_999n],
    ["1.9999990000000000000000000001", 2_000_000n],
    ["999999999999999.9999991", 1_000_000_000_000_000_000_000n]
  ])("rounds %s up to the atomic unit, and only what is beyond it", (text, atomic) => {
    expect(parseAtomic(text)).toBe(atomic)
  })

  it.each([
    "",
    " ",
    "-1",
    "+1",
    "1.",
    ".5",
    ".",
    "1e3",
    "0x10",
    "1,000",
    "1_000",
    "1 ",
    " 1",
    "1\n",
    "$1",
    "1.2.3",
    "NaN",
    "Infinity",
    "१",
    "１",
    "1".repeat(16),
    `1.${"0".repeat(31)}`,
    "9".repeat(100_000)
  ])("refuses %j", (text) => {
    expect(parseAtomic(text)).toBeUndefined()
  })
})

describe("formatAtomic", () => {
  it.each([
    [0n, "0.00"],
    [1n, "0.000001"],
    [10n, "0.00001"],
    [100n, "0.0001"],
    [1_000n, "0.001"],
    [10_000n, "0.01"],
    [100_000n, "0.10"],
    [520_000n, "0.52"],
    [1_000_000n, "1.00"],
    [1_000_001n, "1.000001"],
    [123_456_789_012_345_678_901n, "123456789012345.678901"]
  ])("writes %s as %s", (atomic, text) => {
    expect(formatAtomic(atomic)).toBe(text)
  })
})

describe("any amount", () => {
  property("is read again as it was written", 2_000, (dice) => {
    const atomic = dice.bigint(1 + dice.below(66))
    const text = formatAtomic(atomic)
    expect(text).toMatch(/^(?:0|[1-9]\d*)\.\d{2,6}$/)
    expect(parseAtomic(text)).toBe(atomic)
  })

  property("in text is never less than given, and less than one atomic unit more", 2_000, (dice) => {
    const digits = "0123456789"
    const whole = dice.text(digits, 1 + dice.below(15))
    const fraction = dice.text(digits, 1 + dice.below(30))
    const atomic = parseAtomic(`${whole}.${fraction}`)!
    // Both sides as whole numbers of 10^-30: no rounding in the comparison itself.
    const exact = BigInt(whole) * 10n ** 30n + BigInt(fraction.padEnd(30, "0"))
    const read = atomic * 10n ** 24n
    expect(read >= exact && read - exact < 10n ** 24n).toBe(true)
  })

  property("keeps its order", 500, (dice) => {
    const [left, right] = [dice.bigint(60), dice.bigint(60)]
    expect(parseAtomic(formatAtomic(left))! < parseAtomic(formatAtomic(right))!).toBe(left < right)
  })

  property("of whole dollars is exact", 500, (dice) => {
    const dollars = dice.below(1_000_000)
    expect(fromDollars(dollars)).toBe(parseAtomic(String(dollars)))
  })
})

describe("money", () => {
  it("is made of decimal text, and written as the contract writes it", () => {
    expect(usd("19.99")).toEqual({ atomic: 19_990_000n, currency: "USD" })
    expect(format(usd("26.640"))).toBe("26.64")
    expect(toText(usd("0.1"))).toEqual({ amount: "0.10", currency: "USD" })
  })

  it("in a body is two texts", () => {
    const isMoney = Schema.is(MoneyText)
    expect(isMoney(toText(usd("1")))).toBe(true)
    for (const wrong of [{}, { amount: "1.00" }, { currency: "USD" }, { amount: 1, currency: "USD" }])
      expect(isMoney(wrong)).toBe(false)
  })

  it("is not made of anything else", () => {
    expect(() => usd("ten")).toThrow(new RangeError('not a decimal amount: "ten"'))
    expect(() => usd("-1")).toThrow(RangeError)
  })

  it("has no float on its path: whole dollars only", () => {
    expect(() => fromDollars(0.1)).toThrow(RangeError)
  })
})
