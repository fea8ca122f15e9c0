import {
  decodeFunctionData,
  type Hex,
  keccak256,
  multicall3Abi,
  numberToHex,
  parseAbi,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializableEIP1559
} from "viem"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import { type ContractCall, multicallAddress } from "./Calls.ts"

/** The account from which tills that settle by themselves send. */
export const relayerAddress: Hex = "0x00000000000000000000000000000000000e1a7e"

/** A transaction of the relayer, as it was signed. */
export interface SignedTransaction {
  readonly hash: string
  readonly nonce: number
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly calls: ReadonlyArray<ContractCall>
}

/** Only the relayer can make this, like a signature; a real one would take most of a run's time. */
const signatureOf = (unsigned: Hex) => ({
  r: keccak256(`${unsigned}e1a7e0`),
  s: numberToHex(1, { size: 32 }),
  yParity: 0
})

/** Signs with the relayer's key. */
export const signAsRelayer = (transaction: TransactionSerializableEIP1559): Hex =>
  serializeTransaction(transaction, signatureOf(serializeTransaction(transaction)))

/** What a transaction needs without the work of its calls. */
export const intrinsicGas = 21_000n
const gasPerCall = 39_000n

/** The gas that calls need. */
export const gasFor = (calls: ReadonlyArray<ContractCall>): bigint =>
  intrinsicGas + gasPerCall * BigInt(calls.length)

/** Reads a transaction that the relayer signed; `undefined` if it did not. */
export const readSigned = (bytes: Hex): SignedTransaction | undefined => {
  const { r, s: _s, v: _v, yParity: _parity, ...parsed } = parseTransaction(bytes)
  if (parsed.type !== "eip1559" || parsed.to == null) return undefined
  if (r !== signatureOf(serializeTransaction(parsed)).r) return undefined
  return {
    hash: keccak256(bytes),
    nonce: parsed.nonce ?? 0,
    gas: parsed.gas ?? 0n,
    maxFeePerGas: parsed.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: parsed.maxPriorityFeePerGas ?? 0n,
    calls: callsOf(relayerAddress, parsed.to, parsed.data ?? "0x")
  }
}

const abi = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)"
])

/** The calls of the token that a call makes. Others are not known here. */
export const callsOf = (sender: string, to: string, data: Hex): ReadonlyArray<ContractCall> => {
  if (to.toLowerCase() === multicallAddress) {
    const { args } = decodeFunctionData({ abi: multicall3Abi, data })
    return (args[0] as ReadonlyArray<BatchedCall>).flatMap(({ allowFailure, callData, target }) =>
      callsOf(multicallAddress, target, callData).map((call) => ({ ...call, mayFail: allowFailure }))
    )
  }
  const { args } = decodeFunctionData({ abi, data })
  const [from, recipient, value, validAfter, validBefore, nonce, signature] = args
  const authorization: Authorization = {
    from,
    to: recipient,
    value: String(value),
    validAfter: String(validAfter),
    validBefore: String(validBefore),
    nonce
  }
  return [{ sender, call: { _tag: "transferWithAuthorization", authorization, signature } }]
}

interface BatchedCall {
  readonly target: Hex
  readonly allowFailure: boolean
  readonly callData: Hex
}
