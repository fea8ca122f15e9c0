import { describe, expect, it } from "vitest"
import { isSolanaAddress } from "../../../src/shop/goods/Vault.ts"
import { property } from "../../domain/seeded.ts"

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

/** Base58 by long division, byte by byte: another way than the one that is tested. */
const base58 = (bytes: Uint8Array): string => {
  const digits: Array<number> = []
  for (const byte of bytes) {
    let carry = byte
    for (let index = 0; index < digits.length; index++) {
      carry += digits[index]! * 256
      digits[index] = carry % 58
      carry = Math.floor(carry / 58)
    }
    while (carry > 0) {
      digits.push(carry % 58)
      carry = Math.floor(carry / 58)
    }
  }
  const firstNonZero = bytes.findIndex((byte) => byte !== 0)
  const leading = firstNonZero < 0 ? bytes.length : firstNonZero
  return (
    "1".repeat(leading) +
    digits
      .toReversed()
      .map((digit) => alphabet[digit])
      .join("")
  )
}

describe("isSolanaAddress", () => {
  it.each([
    ["wrapped SOL", "So11111111111111111111111111111111111111112"],
    ["USDC", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"],
    ["the token program", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"],
    ["the system program, 32 zero bytes", "1".repeat(32)],
    ["32 bytes of 255, the longest text", base58(new Uint8Array(32).fill(255))]
  ])("accepts %s", (_, text) => {
    expect(isSolanaAddress(text)).toBe(true)
  })

  it.each([
    ["nothing", ""],
    ["31 zero bytes", "1".repeat(31)],
    ["33 zero bytes", "1".repeat(33)],
    ["44 zero bytes", "1".repeat(44)],
    ["an EVM address", "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"],
    ["a character that base58 leaves out: 0", "So11111111111111111111111111111111111111110"],
    ["a character that base58 leaves out: O", "So1111111111111111111111111111111111111111O"],
    ["a character that base58 leaves out: l", "Sol1111111111111111111111111111111111111112"],
    ["more than 32 bytes in 44 characters", "z".repeat(44)],
    ["white space around it", " So11111111111111111111111111111111111111112"],
    ["a line break at its end", "So11111111111111111111111111111111111111112\n"],
    ["a character beyond the basic plane", `${"1".repeat(30)}😀`],
    ["a very long text", "1".repeat(1_000_000)]
  ])("refuses %s", (_, text) => {
    expect(isSolanaAddress(text)).toBe(false)
  })

  property("accepts base58 of any 32 bytes, and of no other length", 500, (dice) => {
    const length = 28 + dice.below(9)
    const leading = dice.below(4) * dice.below(3)
    const bytes = Uint8Array.from({ length }, (_, index) => (index < leading ? 0 : dice.below(256)))
    expect(isSolanaAddress(base58(bytes))).toBe(length === 32)
  })
})
