import { digests } from "../Digests.ts"
import type { Network } from "../domain/Network.ts"
import type { PaymentPayload } from "../domain/PaymentPayload.ts"

/** A charge's key: what was signed, and nothing that a client may choose freely beside it. */
export const chargeKey = (network: Network, payload: PaymentPayload): string => {
  const { from, nonce } = payload.payload.authorization
  return `${network.caip2}:${network.asset}:${from}:${nonce}`.toLowerCase()
}

/**
 * Digest of everything that was signed, and of the signature: who presents a settled payment again must
 * know its signature, not just the payer and nonce that the chain shows.
 */
export const payloadDigest = (payload: PaymentPayload): string => {
  const { authorization, signature } = payload.payload
  const { from, nonce, to, validAfter, validBefore, value } = authorization
  const text = [from, to, value, validAfter, validBefore, nonce, signature].join("\n").toLowerCase()
  return digests.sha256Hex(text)
}

/** JSON with object keys in order: equal values have equal text. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined)
    entries.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`
  }
  return JSON.stringify(value)
}
