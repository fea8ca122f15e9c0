import { type Chain as LocalChain, startChain, usdcAbi } from "@till402/sandbox/chain"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { encodeFunctionData, type Hex, multicall3Abi, parseAbi } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, expect } from "vitest"
import { findNetwork } from "../../../packages/core/src/domain/Network.ts"
import { Chain, type EvidenceHints } from "../../../packages/core/src/toll/evidence/Chain.ts"
import { multicall, placeMulticall } from "../src/Multicall.ts"
import { type Authorization, authorizationFields, nextNonce } from "../src/Payments.ts"

export const network = findNetwork("base-sepolia")!

export const tokenAbi = [
  ...usdcAbi,
  ...parseAbi([
    "function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)"
  ])
]

export const types = {
  TransferWithAuthorization: authorizationFields,
  ReceiveWithAuthorization: authorizationFields,
  CancelAuthorization: [
    { name: "authorizer", type: "address" },
    { name: "nonce", type: "bytes32" }
  ]
} as const

export const price = "520000"

export let local: LocalChain

/** Starts the chain for a test file, with Multicall3 on it. */
export const startTokenChain = (): void => {
  beforeAll(async () => {
    local = await startChain()
    await placeMulticall(local)
  })
  afterAll(() => local.stop())
}

export const payTo = privateKeyToAccount(generatePrivateKey()).address
export const domain = () => ({
  ...network.eip712,
  chainId: network.chainId,
  verifyingContract: network.asset
})

export const chainSeconds = async (): Promise<number> => Number((await local.client.getBlock()).timestamp)

/** A payer with money, and an authorization over the price that is valid now. */
export const openPayer = async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  await local.mint(account.address, 10_000_000n)
  return { account, authorization: await authorizationBy(account) }
}

export const authorizationBy = async (
  { address }: PrivateKeyAccount,
  changes: Partial<Authorization> = {}
): Promise<Authorization> => {
  const now = await chainSeconds()
  return {
    from: address,
    to: payTo,
    value: price,
    validAfter: String(now - 600),
    validBefore: String(now + 120),
    nonce: nextNonce(),
    ...changes
  }
}

export const argumentsOf = (
  { from, nonce, to, validAfter, validBefore, value }: Authorization,
  signature: Hex
) =>
  [
    from as Hex,
    to as Hex,
    BigInt(value),
    BigInt(validAfter),
    BigInt(validBefore),
    nonce as Hex,
    signature
  ] as const

export const signed = (
  account: PrivateKeyAccount,
  primaryType: "TransferWithAuthorization" | "ReceiveWithAuthorization",
  authorization: Authorization
): Promise<Hex> =>
  account.signTypedData({
    domain: domain(),
    types,
    primaryType,
    message: {
      from: authorization.from as Hex,
      to: authorization.to as Hex,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce as Hex
    }
  })

/** The call that moves an authorization's value, as anyone can submit it. */
export const transferCall = async (account: PrivateKeyAccount, authorization: Authorization): Promise<Hex> =>
  encodeFunctionData({
    abi: tokenAbi,
    functionName: "transferWithAuthorization",
    args: argumentsOf(authorization, await signed(account, "TransferWithAuthorization", authorization))
  })

export const confirmed = async (hash: Hex): Promise<Hex> => {
  const { status } = await local.client.waitForTransactionReceipt({ hash })
  expect(status).toBe("success")
  return hash
}

export const send = async (data: Hex): Promise<Hex> =>
  confirmed(await local.client.sendTransaction({ to: local.usdc, data }))

/** One transaction of many calls to the token. */
export const sendBatch = async (calls: ReadonlyArray<Hex>): Promise<Hex> =>
  confirmed(
    await local.client.writeContract({
      address: multicall,
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [calls.map((callData) => ({ target: local.usdc, allowFailure: false, callData }))]
    })
  )

/** Mines a block so much later that all before it are final. */
export const becomeFinal = async (): Promise<void> => {
  await local.client.increaseTime({ seconds: network.finalitySeconds })
  await local.client.mine({ blocks: 1 })
}

export const reader = (confirmations = network.confirmations) =>
  Effect.runPromise(
    Effect.provide(
      Chain,
      Chain.layerRpc([{ ...network, confirmations, rpcUrl: local.rpcUrl }]).pipe(
        Layer.provide(FetchHttpClient.layer)
      )
    )
  )

export const evidence = async (authorization: Authorization, hints: EvidenceHints = {}, chain = reader()) =>
  Effect.runPromise((await chain).evidence(network, authorization, hints))
