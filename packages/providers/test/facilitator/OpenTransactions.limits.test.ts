import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { assert, beforeAll, describe, it } from "vitest"
import { OpenTransactions } from "../../src/facilitator/OpenTransactions.ts"
import type { SettlementRecord } from "../../src/facilitator/SettlementJournal.ts"
import { ecdsaTransfer } from "../../src/facilitator/TransferCall.ts"

const asset = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
const relayer = privateKeyToAccount(generatePrivateKey())
const alice = "0x00000000000000000000000000000000000000aa"
const bob = "0x00000000000000000000000000000000000000bb"
const nonces = { first: "01", second: "02", third: "03", new: "04" }
const nonceOf = (name: keyof typeof nonces): `0x${string}` => `0x${nonces[name].repeat(32)}`
const keyOf = (payer: string, name: keyof typeof nonces): string =>
  `eip155:84532:${asset}:${payer}:${nonceOf(name)}`.toLowerCase()

interface Transfer {
  readonly payer: `0x${string}`
  readonly name: keyof typeof nonces
  readonly value: bigint
  /** The highest fee for a unit of gas. */
  readonly fee: bigint
  readonly replacement?: number
}

/** A recorded transaction that moves an amount, with a gas limit of 100. */
const record = async (
  nonce: number,
  { fee, name, payer, replacement = 0, value }: Transfer
): Promise<SettlementRecord> => {
  const key = keyOf(payer, name)
  const authorization = {
    from: payer,
    to: asset,
    value: value.toString(),
    validAfter: "0",
    validBefore: "1900000000",
    nonce: nonceOf(name)
  }
  const signature = await relayer.signMessage({ message: "any" })
  const signedTransaction = await relayer.signTransaction({
    type: "eip1559",
    chainId: 84532,
    nonce,
    gas: 100n,
    maxFeePerGas: fee,
    maxPriorityFeePerGas: 1n,
    ...ecdsaTransfer(asset, authorization, signature)
  })
  return {
    key,
    digest: key,
    caller: "till",
    attempt: 0,
    replacement,
    chainId: 84532,
    relayer: "0x00000000000000000000000000000000000000cc",
    nonce,
    transaction: `0x${nonce}${replacement}`,
    signedTransaction,
    recordedAtMillis: 0
  }
}

let records: ReadonlyArray<SettlementRecord>
beforeAll(async () => {
  records = await Promise.all([
    record(4, { payer: alice, name: "first", value: 5n, fee: 2n }),
    record(5, { payer: alice, name: "second", value: 70n, fee: 3n }),
    record(5, { payer: alice, name: "second", value: 70n, fee: 4n, replacement: 1 }),
    record(6, { payer: bob, name: "third", value: 900n, fee: 10n })
  ])
})

describe("open transactions", () => {
  it("cost their gas limits at the highest fees, one for each number", () => {
    const open = new OpenTransactions(records)
    assert.deepStrictEqual(
      [0, 4, 5, 6, 7].map((from) => open.costWei(from)),
      [1_600n, 1_600n, 1_400n, 1_000n, 0n]
    )
    assert.strictEqual(open.costWei(4, 5), 1_200n)
    assert.strictEqual(open.costWei(5, 4), 1_400n)
  })

  it("promise the money of a payer's other authorizations", () => {
    const open = new OpenTransactions(records)
    assert.deepStrictEqual(
      [4, 5, 6].map((from) => open.promisedAtomic(from, keyOf(alice, "new"))),
      [75n, 70n, 0n]
    )
    assert.strictEqual(open.promisedAtomic(4, keyOf(alice, "first")), 70n)
    assert.strictEqual(open.promisedAtomic(4, keyOf(bob, "new")), 900n)
    assert.strictEqual(open.promisedAtomic(4, keyOf(bob, "third")), 0n)
  })

  it("have the number of the last", () => {
    assert.strictEqual(new OpenTransactions(records).lastNonce, 6)
    assert.isUndefined(new OpenTransactions([]).lastNonce)
    assert.strictEqual(new OpenTransactions([]).costWei(0), 0n)
  })

  it("are parsed once: what is known of a transaction is kept", () => {
    const known = new OpenTransactions(records)
    const unreadable = records.map((each) => ({ ...each, signedTransaction: "0x" as const }))
    assert.strictEqual(new OpenTransactions(unreadable, known).costWei(4), 1_600n)
    assert.throws(() => new OpenTransactions(unreadable))
    // What isn't recorded any more is forgotten.
    assert.strictEqual(new OpenTransactions(records.slice(0, 1), known).costWei(0), 200n)
  })

  it("of a transfer without data, gas or fee take nothing", async () => {
    const signedTransaction = await relayer.signTransaction({ type: "eip1559", chainId: 84532, nonce: 1 })
    const [first] = records
    if (first === undefined) throw new Error("no record")
    const open = new OpenTransactions([{ ...first, signedTransaction }])
    assert.deepStrictEqual([open.costWei(0), open.promisedAtomic(0, keyOf(alice, "new"))], [0n, 0n])
  })
})
