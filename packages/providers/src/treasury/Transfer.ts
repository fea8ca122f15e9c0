import { decodeFunctionData, encodeFunctionData, erc20Abi, isHex, parseTransaction } from "viem"
import type { Hex } from "./Hex.ts"

/*
 * What a transaction that somebody else prepared would do, as a pure function: a transfer of tokens on the
 * agreed terms, or something that must not be signed.
 */

/** What may be paid, and nothing else. */
export interface PaymentTerms {
  readonly chainId: number
  /** Contract of the token. */
  readonly token: Hex
  /** Accounts that may be paid. */
  readonly payees: ReadonlyArray<Hex>
  /** Atomic units of the token, to the unit. */
  readonly amountAtomic: bigint
}

/** What keeps a prepared transaction from being signed; the first that is found. */
export type RefusalReason =
  /** Not one unsigned transaction of type 0, 1 or 2. One of type 4 could give the account away. */
  | "unreadable"
  | "other_chain"
  /** Addressed to another contract than the token's. */
  | "other_token"
  /** Sends the chain's own coin along. */
  | "native_value"
  /** Calls something else than `transfer(address,uint256)`, such as `approve`. */
  | "other_function"
  | "malformed_arguments"
  | "other_payee"
  | "other_amount"

/** The transfer to sign. Nonce, gas and fees of the prepared transaction are not taken over. */
export interface Transfer {
  readonly chainId: number
  readonly token: Hex
  readonly payee: Hex
  readonly amountAtomic: bigint
  /** The whole call, with the memo by which a payee may tell payments apart. */
  readonly data: Hex
}

export type TransferVerdict =
  | { readonly _tag: "Accepted"; readonly transfer: Transfer }
  | { readonly _tag: "Refused"; readonly reason: RefusalReason }

const refused = (reason: RefusalReason): TransferVerdict => ({ _tag: "Refused", reason })

/** `0x`, the selector and two arguments of 32 bytes, in characters. */
const callLength = 2 + 2 * (4 + 32 + 32)
/** Bytes after the arguments, which a token's contract doesn't read. */
const maxMemoBytes = 512
const maxTransactionLength = 16_384

/**
 * Whether a prepared transaction is the transfer on these terms and nothing else.
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

const sameAddress = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()

/** First bytes of the keccak hash of `transfer(address,uint256)`. */
const transferSelector = "0xa9059cbb"

/** What a call of `transfer` pays; `undefined` where its arguments are cut short or hold more than they say. */
const argumentsOf = (data: Hex) => {
  if (data.length < callLength || data.length > callLength + 2 * maxMemoBytes) return undefined
  const call = data.slice(0, callLength) as Hex
  const decoded = decodeFunctionData({ abi: erc20Abi, data: call })
  if (decoded.functionName !== "transfer") return undefined
  // An address fills 20 of 32 bytes. Written anew the call shows whether anything stood in the others.
  const anew = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: decoded.args })
  const [payee, amountAtomic] = decoded.args
  return anew === call ? { payee, amountAtomic } : undefined
}

interface Call {
  readonly chainId: number | undefined
  /** Empty where a contract would be created. */
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
    // Whatever it is that viem can't read, it is not signed.
    return undefined
  }
}
