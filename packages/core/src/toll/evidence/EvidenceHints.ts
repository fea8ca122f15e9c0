import type { ChainHead } from "./ChainHead.ts"

/** Where to search for the transfer of an authorization. */
export interface EvidenceHints {
  /** Transaction that may contain the transfer. It is read first; only what it did proves anything. */
  readonly transaction?: string | undefined
  /** Searches from this time on instead of the validity window. */
  readonly sinceSeconds?: number | undefined
  /** The newest block at the claim of the payment: a transfer in it or before it is marked `precedesClaim`. */
  readonly claimedAfter?: ChainHead | undefined
}
