import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type TransactionMessageBytes
} from "@solana/kit"
import { describe, expect, it } from "vitest"
import { termsOf } from "../../src/solana-facilitator/TransactionTerms.ts"

const feePayer = address("2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4")
const payer = address("4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU")
const source = address("9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM")
const mint = address("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
const destination = address("So11111111111111111111111111111111111111112")
const tokenProgram = address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
const memoProgram = address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
const computeBudget = address("ComputeBudget111111111111111111111111111111")

const limit = (units: number): Instruction => {
  const data = Buffer.alloc(5)
  data.writeUInt8(2)
  data.writeUInt32LE(units, 1)
  return { programAddress: computeBudget, data }
}
const price = (microLamports: bigint): Instruction => {
  const data = Buffer.alloc(9)
  data.writeUInt8(3)
  data.writeBigUInt64LE(microLamports, 1)
  return { programAddress: computeBudget, data }
}
const transfer: Instruction = {
  programAddress: tokenProgram,
  accounts: [
    { address: source, role: AccountRole.WRITABLE },
    { address: mint, role: AccountRole.READONLY },
    { address: destination, role: AccountRole.WRITABLE },
    { address: payer, role: AccountRole.READONLY_SIGNER }
  ],
  data: Uint8Array.of(12, 1, 0, 0, 0, 0, 0, 0, 0, 6)
}
const memo = (...accounts: NonNullable<Instruction["accounts"]>): Instruction => ({
  programAddress: memoProgram,
  accounts,
  data: Uint8Array.of(104, 105)
})

const read = (instructions: ReadonlyArray<Instruction>, version: 0 | "legacy" = 0) =>
  termsOf(
    compileTransaction(
      pipe(
        createTransactionMessage({ version }),
        (empty) => setTransactionMessageFeePayer(feePayer, empty),
        (paid) =>
          setTransactionMessageLifetimeUsingBlockhash(
            { blockhash: blockhash(source), lastValidBlockHeight: 150n },
            paid
          ),
        (dated) => appendTransactionMessageInstructions([...instructions], dated)
      )
    )
  )

describe("the terms of a transaction", () => {
  it.each([0, "legacy"] as const)("are its source, fee and accounts, in version %s", (version) => {
    expect(read([limit(20_000), price(1n), transfer, memo()], version)).toEqual({
      source,
      priorityFeeLamports: 1n,
      feeLamports: 10_001n,
      accounts: new Set([source, mint, destination, payer])
    })
  })

  it.each([
    [[limit(20_000), price(500_000n)], 10_000n],
    [[limit(20_000), price(500_001n)], 10_001n],
    [[limit(20_000), price(0n)], 0n],
    [[limit(4_294_967_295), price(1_000_000n)], 4_294_967_295n],
    [[limit(1), price(18_446_744_073_709_551_615n)], 18_446_744_073_710n],
    // In another order, or further down: the network reads them anywhere.
    [[price(1_000_000n), transfer, limit(300)], 300n],
    // Without a limit, the highest one counts.
    [[price(1_000_000n)], 1_400_000n],
    [[limit(20_000)], 0n],
    // Not of the budget.
    [[{ ...price(9n), programAddress: memoProgram }], 0n],
    [[{ ...price(9n), data: price(9n).data!.subarray(0, 8) }], 0n],
    [[{ programAddress: computeBudget }], 0n]
  ])("have the priority fee of %#", (instructions, priorityFeeLamports) => {
    expect(read(instructions)).toMatchObject({ priorityFeeLamports })
  })

  it("have a signature's fee for each signer", () => {
    expect(read([memo()])).toMatchObject({ feeLamports: 5_000n })
    expect(read([memo({ address: payer, role: AccountRole.READONLY_SIGNER })])).toMatchObject({
      feeLamports: 10_000n
    })
  })

  it.each([AccountRole.READONLY, AccountRole.READONLY_SIGNER, AccountRole.WRITABLE_SIGNER])(
    "name a fee payer that an instruction passes on, in role %i",
    (role) => {
      const terms = read([transfer, memo({ address: feePayer, role })])
      expect(terms?.accounts.has(feePayer)).toBe(true)
    }
  )

  it("have no source without a transfer of four accounts", () => {
    expect(read([memo()])?.source).toBeUndefined()
    expect(read([{ ...transfer, accounts: transfer.accounts!.slice(0, 3) }])?.source).toBeUndefined()
    expect(read([{ ...transfer, data: Uint8Array.of(3, 1) }])?.source).toBeUndefined()
  })

  it.each([[], [128], [129, 1], [1, 0, 0, 1], [255, 255, 255]].map((bytes) => [bytes]))(
    "can't be read of the message %j",
    (bytes) => {
      const messageBytes = Uint8Array.from(bytes) as unknown as TransactionMessageBytes
      expect(termsOf({ messageBytes })).toBeUndefined()
    }
  )
})
