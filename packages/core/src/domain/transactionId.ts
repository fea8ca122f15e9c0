import { isHex } from "./Hex.ts"
import { isSolanaTransactionId } from "./SolanaAddress.ts"

/** Whether a text is the ID of a transaction on a network: on EVM its hash, on Solana its first signature. */
export const isTransactionIdOn = (network: string, text: string): boolean =>
  network.startsWith("solana:") ? isSolanaTransactionId(text) : isHex(text, 32)

/** The only EVM hash in a text, such as an explorer's link, in lower case and with `0x`; another text as it is. */
export const soleTransactionId = (network: string, text: string): string => {
  const [hash, ...others] = text.match(/\b(?:0x)?[0-9a-f]{64}\b/gi) ?? []
  return network.startsWith("solana:") || others.length > 0 || hash === undefined
    ? text
    : `0x${hash.slice(-64).toLowerCase()}`
}

/** Whether it is the ID of one on any network. */
export const isTransactionId = (text: string): boolean => isHex(text, 32) || isSolanaTransactionId(text)
