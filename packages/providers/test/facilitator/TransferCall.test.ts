import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { assert, describe, it } from "vitest"
import {
  amountOf,
  creatingTransfer,
  ecdsaTransfer,
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

describe("amountOf()", () => {
  it("reads the amount of every call that settles an authorization", async () => {
    const signature = await account.signMessage({ message: "any" })
    const creation = { factory: asset, data: "0x1234", signature } as const
    for (const { data } of [
      ecdsaTransfer(asset, authorization, signature),
      walletTransfer(asset, authorization, signature),
      creatingTransfer(asset, authorization, creation)
    ]) {
      assert.strictEqual(amountOf(data), 12_345_678_901_234_567_890n)
    }
  })

  it("is nothing for a call without one", () => {
    assert.strictEqual(amountOf("0x"), 0n)
  })
})
