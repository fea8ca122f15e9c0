import type { Authorization } from "@till402/core/effect"
import {
  decodeFunctionData,
  encodeFunctionData,
  isErc6492Signature,
  multicall3Abi,
  parseAbi,
  parseErc6492Signature,
  parseSignature,
  parseTransaction,
  size,
  slice,
  toFunctionSelector
} from "viem"
import type { Hex } from "./SettlementJournal.ts"

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

/** What a call of this file moves. */
export interface PlannedTransfer {
  /** The balance that it takes from, as `accountOf` has it: token and payer, `0x…:0x…`. */
  readonly account: string
  readonly nonce: string
  readonly amountAtomic: bigint
}

/** From, to, value, two times and nonce: both overloads begin with them. */
const commonSize = 4 + 6 * 32

/** The transfer that a call of this file submits; `undefined` for any other call. */
export const transferOf = ({ data, to }: TransferCall): PlannedTransfer | undefined => {
  if (data.startsWith(aggregateSelector)) {
    const { args, functionName } = decodeFunctionData({ abi: multicall3Abi, data })
    // The creation of the wallet precedes its transfer.
    const last = functionName === "aggregate3" ? args[0].at(-1) : undefined
    return last === undefined ? undefined : transferOf({ to: last.target, data: last.callData })
  }
  if (size(data) < commonSize) return undefined
  return {
    account: `${to.toLowerCase()}:${slice(data, 16, 36)}`,
    nonce: slice(data, 164, 196),
    amountAtomic: BigInt(slice(data, 68, 100))
  }
}

/** The transfer that a signed transaction with a call of this file submits. */
export const transferIn = (signedTransaction: Hex): PlannedTransfer | undefined => {
  const { data, to } = parseTransaction(signedTransaction)
  return data === undefined || to === null || to === undefined ? undefined : transferOf({ to, data })
}
