import type { Network } from "../../domain/Network.ts"
import type { Block } from "./ChainNode.ts"
import type { NonceUse } from "./TransferProof.ts"

/** The chain's evidence about an authorization. */
export type ChainEvidence =
  /** The authorization's own call moved its value to its recipient, with enough confirmations. */
  | {
      readonly _tag: "Moved"
      readonly transaction: string
      /** Position of the `Transfer` in its block. */
      readonly logIndex: number
      /** Time of the block. */
      readonly atSeconds: number
      /** Old enough (`finalitySeconds` of the network) that no reorganization is expected. */
      readonly isFinal: boolean
      /** Its block is the one named by `claimedAfter`, or precedes it. */
      readonly precedesClaim?: true
    }
  /** The transfer is in a block with too few confirmations. */
  | { readonly _tag: "Confirming"; readonly transaction: string }
  /** The nonce is unused at this chain time. */
  | { readonly _tag: "NotMoved"; readonly chainTimeSeconds: number }
  /**
   * Final: the nonce is used and did not pay. It was canceled, or used by a call with another value or recipient; on
   * Solana, its transaction failed.
   */
  | { readonly _tag: "NotPaid"; readonly reason: "canceled" | "failed" | "used_otherwise" }
  /**
   * The chain could not be read, or doesn't yet show with finality how the nonce was used. `isUsed`: it was used before
   * the newest final block, and the use was not found.
   */
  | { readonly _tag: "Unavailable"; readonly isUsed?: true }

/** Depth and age that a block of a network needs to count. */
export type Finality = Pick<Network, "confirmations" | "finalitySeconds">

/** A use of a nonce, with its transaction and its canonical block. */
export interface LocatedUse {
  readonly use: Exclude<NonceUse, { readonly _tag: "Absent" }>
  readonly transaction: string
  /** `undefined`: the node has the receipt, but not yet a block of that number. */
  readonly block: Block | undefined
}

export const unavailable: ChainEvidence = { _tag: "Unavailable" }
export const useNotFound: ChainEvidence = { _tag: "Unavailable", isUsed: true }
export const usedOtherwise: ChainEvidence = { _tag: "NotPaid", reason: "used_otherwise" }

/** Evidence of a transfer in the block of a claim or before it. */
export const precedingClaim = (evidence: ChainEvidence): ChainEvidence =>
  evidence._tag === "Moved" ? { ...evidence, precedesClaim: true } : evidence

/** Judges a use of a nonce by the age and depth of its block. A use that doesn't pay counts only when it is final. */
export const evidenceOf = (
  { block, transaction, use }: LocatedUse,
  latest: Block,
  { confirmations, finalitySeconds }: Finality
): ChainEvidence => {
  // The block is canonical, so it has one confirmation even if `latest` was read before it was mined.
  const depth =
    block === undefined ? 0n : latest.number < block.number ? 1n : latest.number - block.number + 1n
  const isConfirmed = depth >= BigInt(confirmations)
  const isFinal =
    block !== undefined && isConfirmed && latest.timestamp - block.timestamp >= BigInt(finalitySeconds)
  switch (use._tag) {
    case "Paid":
      return block !== undefined && isConfirmed
        ? {
            _tag: "Moved",
            transaction,
            logIndex: use.logIndex,
            atSeconds: Number(block.timestamp),
            isFinal
          }
        : { _tag: "Confirming", transaction }
    case "UsedOtherwise":
      return isFinal ? usedOtherwise : unavailable
    case "Canceled":
      return isFinal ? { _tag: "NotPaid", reason: "canceled" } : unavailable
  }
}
