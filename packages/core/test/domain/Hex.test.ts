import { bytesToHex, hexToBytes, keccak256, pad, stringToHex, toHex as toHexOfViem } from "viem"
import { describe, expect, it } from "vitest"
import { isHex, keccakOfText, toBytes, toHex, toWord } from "../../src/domain/Hex.ts"
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

describe("conversions", () => {
  property("agree with viem", 500, (dice) => {
    const hex = dice.hex(dice.below(40))
    expect(toBytes(hex)).toEqual(hexToBytes(hex))
    expect(toHex(toBytes(hex))).toBe(bytesToHex(hexToBytes(hex)))
    const address = dice.hex(20)
    expect(toWord(address)).toBe(pad(address, { size: 32 }))
    const chainId = dice.below(2 ** 31)
    expect(toWord(chainId)).toBe(toHexOfViem(chainId, { size: 32 }))
    const text = dice.text("aZ0 é€😀", dice.below(30))
    expect(keccakOfText(text)).toBe(keccak256(stringToHex(text)))
  })
})
