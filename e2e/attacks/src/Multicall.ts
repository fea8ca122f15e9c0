import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Chain } from "@till402/sandbox"
import { encodeFunctionData, type Hex, multicall3Abi, parseAbi } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import { usdc as token } from "./Calls.ts"
import { type Authorization, authorizationFields, nowSeconds, type Payment } from "./Payments.ts"

/*
 * Transactions that an attacker composes: calls of the token, batched by Multicall3, which is on every public network.
 */

export const multicall: Hex = "0xcA11bde05977b3631167028862bE2a173976CA11"

const usdc = token as Hex

/** viem ships the contract's creation code and doesn't export it. */
const creationCode = (): Hex => {
  const require = createRequire(import.meta.url)
  const constants = join(dirname(require.resolve("viem")), "constants/contracts.js")
  return (require(constants) as { readonly multicall3Bytecode: Hex }).multicall3Bytecode
}

/** Deploys Multicall3 at its public address. */
export const placeMulticall = async ({ client }: Chain): Promise<void> => {
  const { data } = await client.call({ data: creationCode() })
  await client.setCode({ address: multicall, bytecode: data! })
}

const tokenAbi = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)"
])

const types = {
  TransferWithAuthorization: authorizationFields,
  ReceiveWithAuthorization: authorizationFields
}

/** A call of the token that uses up one nonce of an account. */
export interface NonceUse {
  readonly to: string
  readonly value: bigint
  readonly nonce: string
  /** `receive`: the caller must be the recipient, for example Multicall3. */
  readonly by?: "transfer" | "receive"
}

/** Signs a use of a nonce; returns the calldata for the token. */
export const useNonce = async (
  account: PrivateKeyAccount,
  { by = "transfer", nonce, to, value }: NonceUse
): Promise<Hex> => {
  const message = {
    from: account.address,
    to: to as Hex,
    value,
    validAfter: 0n,
    validBefore: BigInt(nowSeconds() + 3_600),
    nonce: nonce as Hex
  }
  const signature = await account.signTypedData({
    domain: { name: "USDC", version: "2", chainId: 84_532, verifyingContract: usdc },
    types,
    primaryType: by === "transfer" ? "TransferWithAuthorization" : "ReceiveWithAuthorization",
    message
  })
  return encodeFunctionData({
    abi: tokenAbi,
    functionName: by === "transfer" ? "transferWithAuthorization" : "receiveWithAuthorization",
    args: [message.from, message.to, value, message.validAfter, message.validBefore, message.nonce, signature]
  })
}

/** The calldata that settles a payment, as a facilitator would send it. */
export const settleCall = ({ payload }: Payment): Hex => {
  const { from, nonce, to, validAfter, validBefore, value }: Authorization = payload.authorization
  return encodeFunctionData({
    abi: tokenAbi,
    functionName: "transferWithAuthorization",
    args: [
      from as Hex,
      to as Hex,
      BigInt(value),
      BigInt(validAfter),
      BigInt(validBefore),
      nonce as Hex,
      payload.signature as Hex
    ]
  })
}

/** The calldata of one transaction that makes either all of the token calls or none. */
export const batchOf = (calls: ReadonlyArray<Hex>): Hex =>
  encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map((callData) => ({ target: usdc, allowFailure: false, callData }))]
  })
