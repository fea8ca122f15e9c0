import { Effect } from "effect"
import { type SolanaClock, type SolanaNode, SolanaNodeFailed } from "./SolanaNode.ts"

/*
 * The end of the span in which a payment could land, by blocks: while the chain stands still, no blockhash ages, so its
 * time says nothing about it.
 */

/** A block accepts the hashes of the 150 blocks before its parent. */
const acceptingBlocks = 152
/** Slots that may be too many: reading a few more transactions takes less than finding the block itself. */
const precision = 150
const firstStep = 1_000

/** Whether the first block at or after a slot is later than a time. */
const isLater = Effect.fnUntraced(function* (
  node: SolanaNode,
  slot: number,
  seconds: number
): Effect.fn.Return<boolean, SolanaNodeFailed> {
  const [block] = yield* node.blocksFrom(slot, 1)
  if (block === undefined) return yield* new SolanaNodeFailed({ error: "BlockNotFound" })
  return (yield* node.blockTime(block)) > seconds
})

/**
 * The last slot in which a transaction can be that named a block up to a time; `undefined` until that slot is final.
 */
export const lastSlotOf = Effect.fnUntraced(function* (
  node: SolanaNode,
  clock: SolanaClock,
  seconds: number
): Effect.fn.Return<number | undefined, SolanaNodeFailed> {
  if (clock.seconds <= seconds) return undefined
  let later = clock.slot
  let earlier: number | undefined
  for (let step = firstStep; later - (earlier ?? 0) > precision; step *= 2) {
    const slot = earlier === undefined ? Math.max(0, later - step) : Math.floor((earlier + later) / 2)
    if (yield* isLater(node, slot, seconds)) later = slot
    else earlier = slot
  }
  const blocks = yield* node.blocksFrom(later, acceptingBlocks)
  return blocks[acceptingBlocks - 1]
})
