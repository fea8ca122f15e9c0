import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { assert, describe, it } from "vitest"
import {
  batchTransfer,
  creatingTransfer,
  ecdsaTransfer,
  multicall3,
  transfersOf,
  walletTransfer
} from "../../src/facilitator/TransferCall.ts"

const asset = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
const account = privateKeyToAccount(generatePrivateKey())
const authorization = {
  from: account.address,
  to: asset,
  value: "12345678901234567890",
  validAfter: "0",
  validBefore: "1900000000",
  nonce: generatePrivateKey()
} as const

const planned = {
  account: `${asset}:${account.address}`.toLowerCase(),
  nonce: authorization.nonce,
  amountAtomic: 12_345_678_901_234_567_890n
}

describe("transfersOf()", () => {
  it("reads the transfer of every call that settles an authorization", async () => {
    const signature = await account.signMessage({ message: "any" })
    const creation = { factory: asset, data: "0x1234", signature } as const
    for (const call of [
      ecdsaTransfer(asset, authorization, signature),
      walletTransfer(asset, authorization, signature),
      creatingTransfer(asset, authorization, creation)
    ]) {
      assert.deepStrictEqual(transfersOf(call), [planned])
    }
  })

  it("reads every transfer of a batch, in order", async () => {
    const signature = await account.signMessage({ message: "any" })
    const other = { ...authorization, value: "5" }
    const calls = [authorization, other].map((each) => ecdsaTransfer(asset, each, signature))
    const inOtherToken = ecdsaTransfer(multicall3, authorization, signature)
    assert.deepStrictEqual(transfersOf(batchTransfer([...calls, inOtherToken])), [
      planned,
      { ...planned, amountAtomic: 5n },
      { ...planned, account: `${multicall3}:${account.address}`.toLowerCase() }
    ])
  })

  it("is nothing for a call without one", () => {
    assert.deepStrictEqual(transfersOf({ to: asset, data: "0x" }), [])
  })
})
