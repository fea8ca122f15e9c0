import { describe, expect, it } from "vitest"
import { fromBase58, toBase58 } from "../../src/domain/Base58.ts"
import { property } from "./seeded.ts"

/** By division of one large number: slow, and plainly right. */
const plain = (bytes: Uint8Array): string => {
  const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  let text = ""
  for (; value > 0n; value /= 58n) text = alphabet[Number(value % 58n)]! + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return "1".repeat(zeros === -1 ? bytes.length : zeros) + text
}

describe("base58", () => {
  property("is that of one large number, and is read back", 300, (dice) => {
    const length = dice.pick([1, 2, 32, 32, 64])
    const bytes = Uint8Array.from({ length }, () => dice.pick([0, dice.below(256), dice.below(256)]))
    const text = toBase58(bytes)
    expect(text).toBe(plain(bytes))
    expect(fromBase58(text, length)).toEqual(bytes)
    expect(fromBase58(text, length + 1)).toBeUndefined()
  })

  it.each([
    ["a character of another alphabet", "0OIl"],
    ["a text that is too long", "1".repeat(89)],
    ["an empty text", ""]
  ])("refuses %s", (_, text) => {
    expect(fromBase58(text, 32)).toBeUndefined()
  })

  it("reads and writes zeros", () => {
    expect(fromBase58("1".repeat(32), 32)).toEqual(new Uint8Array(32))
    expect(toBase58(new Uint8Array(32))).toBe("1".repeat(32))
  })
})
