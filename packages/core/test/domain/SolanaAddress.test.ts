import { describe, expect, it } from "vitest"
import { fromBase58, toBase58 } from "../../src/domain/Base58.ts"
import { solanaNetworks, token2022Program, tokenProgram } from "../../src/domain/Network.ts"
import {
  associatedTokenAccount,
  isOnCurve,
  isSolanaAddress,
  isSolanaTransactionId
} from "../../src/domain/SolanaAddress.ts"
import { SolanaWallet } from "../toll/solana.ts"
import { property } from "./seeded.ts"

describe("addresses", () => {
  it("of mints and programs are addresses, and no transaction IDs", () => {
    for (const { asset, tokenProgram } of solanaNetworks)
      for (const address of [asset, tokenProgram]) {
        expect(isSolanaAddress(address)).toBe(true)
        expect(isSolanaTransactionId(address)).toBe(false)
      }
  })

  property("of wallets are points of the curve, the token accounts derived from them are not", 20, (dice) => {
    const { address } = new SolanaWallet(dice.hex(8))
    expect(isOnCurve(fromBase58(address, 32)!)).toBe(true)
    const mint = dice.pick(solanaNetworks).asset
    const account = associatedTokenAccount(address, mint, dice.pick([tokenProgram, token2022Program]))
    expect(isOnCurve(fromBase58(account, 32)!)).toBe(false)
  })

  // Derived by @solana-program/token 0.9.0 (findAssociatedTokenPda).
  it.each([
    [
      "2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4",
      "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
      tokenProgram,
      "3XZXfFJHF5ox3yPop16oqYfSWxLpkjsEuvTe2S67G2rj"
    ],
    [
      "2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4",
      "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
      token2022Program,
      "H7BrdQ48x8XkXh3UXs7pvPxxF8Z5Ej1WyBwU2ZryzTBL"
    ]
  ])("derives the token account of %s", (owner, mint, program, account) => {
    expect(associatedTokenAccount(owner, mint, program)).toBe(account)
  })

  it("derives none from a text that is no address", () => {
    expect(() => associatedTokenAccount("0x", tokenProgram, tokenProgram)).toThrow("not a Solana address")
  })
})

describe("isSolanaAddress", () => {
  it.each([
    ["wrapped SOL", "So11111111111111111111111111111111111111112"],
    ["USDC", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"],
    ["the token program", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"],
    ["the system program, 32 zero bytes", "1".repeat(32)],
    ["32 bytes of 255, the longest text", toBase58(new Uint8Array(32).fill(255))]
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
})
