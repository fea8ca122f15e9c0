import type { Authorization } from "@till402/core/effect"
import {
  decodeFunctionData,
  encodeFunctionData,
  isErc6492Signature,
  multicall3Abi,
  parseAbi,
  parseErc6492Signature,
  parseSignature,
  size,
  slice,
  toFunctionSelector
} from "viem"
import type { Hex } from "../treasury/Hex.ts"

/*
 * The call that submits an authorization. Pure.
 */

/** A call of the relayer, without native coin. */
export interface TransferCall {
  readonly to: Hex
  readonly data: Hex
}

const overloads = {
  ecdsa: parseAbi([
    "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)"
  ]),
  bytes: parseAbi([
    "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)"
  ])
}

/** At this address on every network of `networks`. */
export const multicall3: Hex = "0xcA11bde05977b3631167028862bE2a173976CA11"

const argumentsOf = ({ from, nonce, to, validAfter, validBefore, value }: Authorization) =>
  [from as Hex, to as Hex, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce as Hex] as const

/** The creation of a wallet that a signature of EIP-6492 carries, and the signature for the wallet itself. */
export interface WalletCreation {
  readonly factory: Hex
  readonly data: Hex
  readonly signature: Hex
}

/** Reads a signature of EIP-6492; `undefined` for any other, `"Malformed"` if its parts can't be read. */
export const walletCreationOf = (signature: Hex): WalletCreation | "Malformed" | undefined => {
  if (!isErc6492Signature(signature)) return undefined
  try {
    const { address: factory, data, signature: inner } = parseErc6492Signature(signature)
    return factory === undefined || data === undefined || inner === undefined
      ? "Malformed"
      : { factory, data, signature: inner }
  } catch {
    return "Malformed"
  }
}

/** Submits an authorization that the payer's own key signed: all tokens of EIP-3009 have this overload. */
export const ecdsaTransfer = (asset: Hex, authorization: Authorization, signature: Hex): TransferCall => {
  const { r, s, yParity } = parseSignature(signature)
  return {
    to: asset,
    data: encodeFunctionData({
      abi: overloads.ecdsa,
      args: [...argumentsOf(authorization), 27 + yParity, r, s]
    })
  }
}

/** Submits an authorization that a contract wallet accepts (EIP-1271). */
export const walletTransfer = (asset: Hex, authorization: Authorization, signature: Hex): TransferCall => ({
  to: asset,
  data: encodeFunctionData({ abi: overloads.bytes, args: [...argumentsOf(authorization), signature] })
})

/**
 * Creates a contract wallet and submits its authorization, in one transaction. Multicall3 calls the factory, so that a
 * factory gets no right of the relayer. The creation may fail, since anyone may have created the wallet by then.
 */
export const creatingTransfer = (
  asset: Hex,
  authorization: Authorization,
  { data, factory, signature }: WalletCreation
): TransferCall => {
  const transfer = walletTransfer(asset, authorization, signature)
  return {
    to: multicall3,
    data: encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [
        [
          { target: factory, allowFailure: true, callData: data },
          { target: transfer.to, allowFailure: false, callData: transfer.data }
        ]
      ]
    })
  }
}

const aggregateSelector = toFunctionSelector("aggregate3((address,bool,bytes)[])")

/** The amount that a call of this file moves, in atomic units: the third argument of both overloads. */
export const amountOf = (data: Hex): bigint => {
  if (data.startsWith(aggregateSelector)) {
    const { args } = decodeFunctionData({ abi: multicall3Abi, data })
    const calls = args?.[0]
    const transfer = Array.isArray(calls) ? calls.at(-1)?.callData : undefined
    return transfer === undefined ? 0n : amountOf(transfer)
  }
  return size(data) < 100 ? 0n : BigInt(slice(data, 68, 100))
}
