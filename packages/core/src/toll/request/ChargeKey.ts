import { digests } from "../../fast/Digests.ts"
import type { Network } from "../../domain/Network.ts"
import type { SolanaTransaction } from "../../domain/SolanaTransaction.ts"
import { isOnSolana, type PaymentPayload } from "../../domain/PaymentPayload.ts"
import { bytesToHex } from "@noble/hashes/utils"
import { nonceOf, payerOf } from "../exact/SignedPayment.ts"

/** The key of a charge. Only signed data: a client can't vary it without signing a new payment. */
export const chargeKey = (network: Network, payload: PaymentPayload): string => {
  const key = `${network.caip2}:${network.asset}:${payerOf(payload)}:${nonceOf(payload)}`
  // On Solana, letter case distinguishes addresses.
  return isOnSolana(payload) ? key : key.toLowerCase()
}

/** The network (CAIP-2) and the payer of a charge; `undefined` for another text. */
export const payerOfKey = (key: string): { readonly network: string; readonly payer: string } | undefined => {
  const parts = key.split(":")
  return parts.length < 5 ? undefined : { network: `${parts[0]}:${parts[1]}`, payer: parts[3]! }
}

/**
 * Digest of the signed data and the signature. A replay must present the same signature, not just the payer and nonce
 * that the chain shows.
 */
export const payloadDigest = (payload: PaymentPayload): string => {
  if (isOnSolana(payload)) return transactionDigest(payload.payload.transaction)
  const { authorization, signature } = payload.payload
  const { from, nonce, to, validAfter, validBefore, value } = authorization
  const text = `${from}\n${to}\n${value}\n${validAfter}\n${validBefore}\n${nonce}\n${signature}`
  return digests.sha256Hex(text.toLowerCase())
}

/** Without the fee payer's signature, which is the facilitator's affair. */
const transactionDigest = ({ digest, signatures }: SolanaTransaction): string =>
  digests.sha256Hex(`${digest}\n${signatures.slice(1).map(bytesToHex).join("\n")}`)

/** The keys of an object, sorted by UTF-16 code units. In place where they are few: `sort` copies them. */
const sortedKeys = (value: object): ReadonlyArray<string> => {
  const keys = Object.keys(value)
  if (keys.length > fewKeys) return keys.sort()
  for (let end = 1; end < keys.length; end++) {
    const key = keys[end]!
    let index = end
    for (; index > 0 && keys[index - 1]! > key; index--) keys[index] = keys[index - 1]!
    keys[index] = key
  }
  return keys
}

const fewKeys = 16

/** JSON with sorted object keys: equal values have equal text. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  let members = ""
  for (const key of sortedKeys(value)) {
    const item = (value as Readonly<Record<string, unknown>>)[key]
    if (item !== undefined)
      members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(item)}`
  }
  return `{${members}}`
}
