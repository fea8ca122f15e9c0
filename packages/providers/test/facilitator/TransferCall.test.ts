import {
  decodeFunctionData,
  encodeFunctionData,
  multicall3Abi,
  parseAbi,
  parseSignature,
  serializeErc6492Signature
} from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { assert, describe, it } from "vitest"
import {
  creatingTransfer,
  ecdsaTransfer,
  multicall3,
  transferOf,
  walletCreationOf,
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

describe("transferOf()", () => {
  it("reads the transfer of every call that settles an authorization", async () => {
    const signature = await account.signMessage({ message: "any" })
    const creation = { factory: asset, data: "0x1234", signature } as const
    for (const call of [
      ecdsaTransfer(asset, authorization, signature),
      walletTransfer(asset, authorization, signature),
      creatingTransfer(asset, authorization, creation)
    ]) {
      assert.deepStrictEqual(transferOf(call), planned)
    }
  })

  it("is nothing for a call without one", () => {
    assert.isUndefined(transferOf({ to: asset, data: "0x" }))
    const none = encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args: [[]] })
    assert.isUndefined(transferOf({ to: multicall3, data: none }))
  })

  it("is nothing for a call that ends before its nonce does", () => {
    const words = "11".repeat(196)
    assert.isDefined(transferOf({ to: asset, data: `0x${words}` }))
    assert.isUndefined(transferOf({ to: asset, data: `0x${words.slice(2)}` }))
  })
})

describe("the call that submits an authorization", () => {
  const abi = parseAbi([
    "function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, uint8, bytes32, bytes32)",
    "function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, bytes)"
  ])
  const signed = [
    account.address,
    asset,
    12_345_678_901_234_567_890n,
    0n,
    1_900_000_000n,
    authorization.nonce
  ] as const

  it.each([27, 28])("has the parts of a key's signature, with v of %i", (v) => {
    const signature = `0x${"12".repeat(32)}${"34".repeat(32)}${v.toString(16)}` as const
    const { r, s } = parseSignature(signature)
    const { data, to } = ecdsaTransfer(asset, authorization, signature)
    assert.strictEqual(to, asset)
    assert.deepStrictEqual(decodeFunctionData({ abi, data }).args, [...signed, v, r, s])
  })

  it("has the bytes of a wallet's signature", () => {
    const { data, to } = walletTransfer(asset, authorization, "0x1234")
    assert.strictEqual(to, asset)
    assert.deepStrictEqual(decodeFunctionData({ abi, data }).args, [...signed, "0x1234"])
  })

  it("creates the wallet first, which may fail, by a contract without rights", () => {
    const creation = { factory: account.address, data: "0xabcd", signature: "0x1234" } as const
    const { data, to } = creatingTransfer(asset, authorization, creation)
    assert.strictEqual(to, "0xcA11bde05977b3631167028862bE2a173976CA11")
    assert.deepStrictEqual(decodeFunctionData({ abi: multicall3Abi, data }).args, [
      [
        { target: account.address, allowFailure: true, callData: "0xabcd" },
        {
          target: asset,
          allowFailure: false,
          callData: walletTransfer(asset, authorization, "0x1234").data
        }
      ]
    ])
  })
})

describe("walletCreationOf()", () => {
  const creation = { factory: account.address, data: "0xabcd", signature: "0x1234" } as const

  it("reads the creation of a wallet in its signature", () => {
    const { data, factory: address, signature } = creation
    assert.deepStrictEqual(
      walletCreationOf(serializeErc6492Signature({ address, data, signature })),
      creation
    )
  })

  it("is none in any other signature", () => {
    assert.isUndefined(walletCreationOf(`0x${"12".repeat(64)}1b`))
  })

  it("is malformed where its parts can't be read", () => {
    assert.strictEqual(walletCreationOf(`0x${"ff".repeat(96)}${"6492".repeat(16)}`), "Malformed")
  })
})
