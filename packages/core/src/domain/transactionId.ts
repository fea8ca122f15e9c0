import { isHex } from "./Hex.ts"
import { isSolanaTransactionId } from "./SolanaAddress.ts"

/** Whether a text is the ID of a transaction on a network: on EVM its hash, on Solana its first signature. */
export const isTransactionIdOn = (network: string, text: string): boolean =>
  network.startsWith("solana:") ? isSolanaTransactionId(text) : isHex(text, 32)

/** Whether it is the ID of one on any network. */
export const isTransactionId = (text: string): boolean => isHex(text, 32) || isSolanaTransactionId(text)
