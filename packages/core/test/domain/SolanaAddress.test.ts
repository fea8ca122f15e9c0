import { describe, expect, it } from "vitest"
import { fromBase58 } from "../../src/domain/Base58.ts"
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
