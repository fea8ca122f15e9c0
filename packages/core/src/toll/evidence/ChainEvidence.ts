import type { Network } from "../../domain/Network.ts"
import type { Block } from "./ChainNode.ts"
import type { NonceUse } from "./TransferProof.ts"

/** Evidence that the chain gives about an authorization. */
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
    }
  /** The transfer stands in a block that has too few confirmations. */
  | { readonly _tag: "Confirming"; readonly transaction: string }
  /** The nonce is unused at this chain time. */
  | { readonly _tag: "NotMoved"; readonly chainTimeSeconds: number }
  /** Final: the nonce is used up and did not pay: canceled, or used by a call that moved something else or elsewhere. */
  | { readonly _tag: "NotPaid"; readonly reason: "canceled" | "used_otherwise" }
  /** The chain could not be read, or doesn't yet show for good how the nonce was used. */
  | { readonly _tag: "Unavailable" }

/** Depth and age from which on blocks of a network count. */
export type Finality = Pick<Network, "confirmations" | "finalitySeconds">

/** A use of a nonce, in the transaction and the canonical block where it stands. */
export interface LocatedUse {
  readonly use: Exclude<NonceUse, { readonly _tag: "Absent" }>
  readonly transaction: string
  /** `undefined`: the node has the receipt, but no block of that number yet. */
  readonly block: Block | undefined
}

export const unavailable: ChainEvidence = { _tag: "Unavailable" }
export const usedOtherwise: ChainEvidence = { _tag: "NotPaid", reason: "used_otherwise" }

/** Judges a use of a nonce by the age and depth of its block. A use that doesn't pay counts only once it is final. */
export const evidenceOf = (
  { block, transaction, use }: LocatedUse,
  latest: Block,
  { confirmations, finalitySeconds }: Finality
): ChainEvidence => {
  // The block is canonical, so it has one confirmation even where `latest` was read before it was made.
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
