import { bytesToHex, hexToBytes, keccak256, pad, stringToHex, toHex as toHexOfViem } from "viem"
import { describe, expect, it } from "vitest"
import { isHex, keccakOfText, toBytes, toHex, toWord } from "../../src/domain/Hex.ts"
import { property } from "./seeded.ts"

describe("isHex", () => {
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
