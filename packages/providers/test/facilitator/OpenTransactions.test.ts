import type { Authorization } from "@till402/core/effect"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { assert, describe, it } from "vitest"
import { OpenTransactions } from "../../src/facilitator/OpenTransactions.ts"
import type { SettlementRecord } from "../../src/facilitator/SettlementJournal.ts"
import { ecdsaTransfer } from "../../src/facilitator/TransferCall.ts"

const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
const dollar = "0x00000000000000000000000000000000d011a500"
const relayer = privateKeyToAccount(generatePrivateKey())
const payer = privateKeyToAccount(generatePrivateKey())
const keyOf = (asset: Hex, { from, nonce }: Pick<Authorization, "from" | "nonce">): string =>
  `eip155:84532:${asset}:${from}:${nonce}`.toLowerCase()

/** The record of a settlement of `value` in a token, as the relayer's transaction `nonce`. */
const recorded = async (asset: Hex, value: string, nonce: number): Promise<SettlementRecord> => {
  const authorization = {
    from: payer.address,
    to: relayer.address,
    value,
    validAfter: "0",
    validBefore: "1900000000",
    nonce: generatePrivateKey()
  }
  const call = ecdsaTransfer(asset, authorization, await payer.signMessage({ message: "any" }))
  const signedTransaction = await relayer.signTransaction({
    ...call,
    type: "eip1559",
    chainId: 84532,
    nonce,
    gas: 100_000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n
  })
  return {
    key: keyOf(asset, authorization),
    digest: "",
    caller: "shop",
    attempt: 0,
    replacement: 0,
    chainId: 84532,
    relayer: relayer.address,
    nonce,
    transaction: generatePrivateKey(),
    signedTransaction,
    recordedAtMillis: 0
  }
}

describe("OpenTransactions", () => {
  it("counts what a payer's other settlements may move in the same token, and gas for all", async () => {
    const records = await Promise.all([
      recorded(usdc, "5", 0),
      recorded(dollar, "700", 1),
      recorded(dollar, "90", 2)
    ])
    const open = new OpenTransactions(records)
    const next = { from: payer.address, nonce: generatePrivateKey() }
    assert.strictEqual(open.promisedAtomic(0, keyOf(usdc, next)), 5n)
    assert.strictEqual(open.promisedAtomic(0, keyOf(dollar, next)), 790n)
    assert.strictEqual(open.promisedAtomic(2, keyOf(dollar, next)), 90n)
    assert.strictEqual(open.promisedAtomic(0, records[1]!.key), 90n)
    assert.strictEqual(open.promisedAtomic(0, keyOf(dollar, { ...next, from: relayer.address })), 0n)
    assert.strictEqual(open.costWei(0), 600_000n)
    assert.strictEqual(open.costWei(0, 1), 400_000n)
    assert.strictEqual(open.costWei(1, 1), 200_000n)
  })

  it("knows the relayer's last number", async () => {
    const records = await Promise.all([7, 8, 9].map((nonce) => recorded(usdc, "5", nonce)))
    assert.strictEqual(new OpenTransactions(records).lastNonce, 9)
    assert.strictEqual(new OpenTransactions([]).lastNonce, undefined)
  })
})
