import { describe, expect, it } from "vitest"
import { isHex } from "../../src/domain/Hex.ts"
import { property } from "./seeded.ts"

const pattern = (min: number, max: number): RegExp => new RegExp(`^0x(?:[0-9a-fA-F]{2}){${min},${max}}$`, "u")

describe("isHex", () => {
  property("agrees with the pattern that it replaces", 2_000, (dice) => {
    const min = dice.below(4)
    const max = min + dice.below(3)
    const text = `${dice.pick(["0x", "0x", "0x", "0X", "", "x"])}${dice.text("09afAFgG/:@`é", dice.below(14))}`
    expect(isHex(text, min, max)).toBe(pattern(min, max).test(text))
  })

  it.each([
    ["0xAb12", 2, true],
    ["0xAb1", 2, false],
    ["0xAb12", 3, false],
    ["0x", 0, true],
    ["0xAbg2", 2, false],
    ["0xAb\u01302", 2, false]
  ] as const)("%s with %s bytes: %s", (text, bytes, expected) => {
    expect(isHex(text, bytes)).toBe(expected)
  })
})
