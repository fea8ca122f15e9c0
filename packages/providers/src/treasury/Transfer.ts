import { decodeFunctionData, encodeFunctionData, erc20Abi, isHex, parseTransaction } from "viem"
import type { Hex } from "./Hex.ts"

/*
 * Checks a transaction that a payee prepared: it must be a transfer of tokens on the agreed terms and nothing
 * else. Pure functions.
 */

/** The agreed terms of a payment. */
export interface PaymentTerms {
  readonly chainId: number
  /** Contract of the token. */
  readonly token: Hex
  /** Accounts that may be paid. */
  readonly payees: ReadonlyArray<Hex>
  /** The exact amount in atomic units of the token. */
  readonly amountAtomic: bigint
}

/** Why a prepared transaction is not signed: the first reason found. */
export type RefusalReason =
  /** Not a single unsigned transaction of type 0, 1 or 2. Type 4 could hand over the account. */
  | "unreadable"
  | "other_chain"
  /** Sent to another contract than the token's. */
  | "other_token"
  /** Sends native coin. */
  | "native_value"
  /** Calls another function than `transfer(address,uint256)`, such as `approve`. */
  | "other_function"
  | "malformed_arguments"
  | "other_payee"
  | "other_amount"

/** The transfer to sign, without the nonce, gas and fees of the prepared transaction. */
export interface Transfer {
  readonly chainId: number
  readonly token: Hex
  readonly payee: Hex
  readonly amountAtomic: bigint
  /** The whole call, including a memo that may identify the payment. */
  readonly data: Hex
}

export type TransferVerdict =
  | { readonly _tag: "Accepted"; readonly transfer: Transfer }
  | { readonly _tag: "Refused"; readonly reason: RefusalReason }

const refused = (reason: RefusalReason): TransferVerdict => ({ _tag: "Refused", reason })

/** `0x`, the selector and two arguments of 32 bytes, in characters. */
const callLength = 2 + 2 * (4 + 32 + 32)
/** Maximum bytes after the arguments, which a token's contract ignores. */
const maxMemoBytes = 512
const maxTransactionLength = 16_384

/**
 * Checks that a prepared transaction is a transfer on these terms and nothing else.
 *
 * @param prepared the unsigned transaction, serialized: `0x02…`
 */
export const verdictOf = (prepared: string, terms: PaymentTerms): TransferVerdict => {
  const call = readCall(prepared)
  if (call === undefined) return refused("unreadable")
  if (call.chainId !== terms.chainId) return refused("other_chain")
  if (!sameAddress(call.to, terms.token)) return refused("other_token")
  if (call.value !== 0n) return refused("native_value")
  if (!call.data.startsWith(transferSelector)) return refused("other_function")
  const paid = argumentsOf(call.data)
  if (paid === undefined) return refused("malformed_arguments")
  const { amountAtomic, payee } = paid
  if (!terms.payees.some((allowed) => sameAddress(allowed, payee))) return refused("other_payee")
  if (amountAtomic !== terms.amountAtomic) return refused("other_amount")
  const { chainId, token } = terms
  return { _tag: "Accepted", transfer: { chainId, token, payee, amountAtomic, data: call.data } }
}

/** A transfer of tokens, as a prepared transaction says it. */
export interface PreparedTransfer {
  readonly chainId: number
  readonly token: string
  readonly payee: Hex
  readonly amountAtomic: bigint
}

/**
 * Reads a prepared transaction as a transfer of tokens; `undefined` if it is anything else. Checks no terms.
 *
 * @param prepared the unsigned transaction, serialized: `0x02…`
 */
export const readTransfer = (prepared: string): PreparedTransfer | undefined => {
  const call = readCall(prepared)
  if (call?.chainId === undefined || call.value !== 0n || !call.data.startsWith(transferSelector)) {
    return undefined
  }
  const paid = argumentsOf(call.data)
  return paid === undefined ? undefined : { chainId: call.chainId, token: call.to, ...paid }
}

const sameAddress = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()

/** First bytes of the keccak hash of `transfer(address,uint256)`. */
const transferSelector = "0xa9059cbb"

/** The payment of a `transfer` call; `undefined` if its arguments are truncated or not canonical. */
const argumentsOf = (data: Hex) => {
  if (data.length < callLength || data.length > callLength + 2 * maxMemoBytes) return undefined
  const call = data.slice(0, callLength) as Hex
  const decoded = decodeFunctionData({ abi: erc20Abi, data: call })
  if (decoded.functionName !== "transfer") return undefined
  // An address fills 20 of 32 bytes. Encoding it again shows whether the other bytes were empty.
  const encoded = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: decoded.args })
  const [payee, amountAtomic] = decoded.args
  return encoded === call ? { payee, amountAtomic } : undefined
}

interface Call {
  readonly chainId: number | undefined
  /** Empty for the creation of a contract. */
  readonly to: string
  readonly value: bigint
  /** Lower case. */
  readonly data: Hex
}

const types: ReadonlySet<string> = new Set(["legacy", "eip2930", "eip1559"])

const readCall = (prepared: string): Call | undefined => {
  if (prepared.length > maxTransactionLength || prepared.length % 2 !== 0 || !isHex(prepared))
    return undefined
  const parsed = parse(prepared)
  if (parsed?.type === undefined || !types.has(parsed.type) || "r" in parsed) return undefined
  const { chainId, data = "0x", to, value = 0n } = parsed
  return { chainId, to: to ?? "", value, data: data.toLowerCase() as Hex }
}

const parse = (prepared: Hex) => {
  try {
    return parseTransaction(prepared)
  } catch {
    // A transaction that viem can't read is not signed.
    return undefined
  }
}
