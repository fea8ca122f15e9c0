import { Effect } from "effect"
import {
  type SignatureEntry,
  signaturesPerPage,
  type SolanaNode,
  type SolanaNodeFailed
} from "./SolanaNode.ts"

/** A transaction of a list, behind which a walk may begin. */
export type Place = Pick<SignatureEntry, "signature" | "slot">

/** A walk through the transactions that name an address, from the newest back to a time. */
export interface Walk {
  readonly address: string
  /** The node must have this block. */
  readonly slot: number
  readonly sinceSeconds: number
  /** Begins behind this transaction of the address; default: with the newest. */
  readonly before?: Place | undefined
  readonly maxPages: number
}

/** A page of a walk: its transactions since the time, newest first, and its last one, at which another walk may begin. */
export interface Page {
  readonly entries: ReadonlyArray<SignatureEntry>
  readonly last: SignatureEntry
}

/**
 * Whether a node has all blocks since a time. One that was started anew, or that has deleted old blocks, lists nothing of
 * them, and doesn't say so.
 */
const hasBlocksSince = Effect.fnUntraced(function* (
  node: SolanaNode,
  sinceSeconds: number
): Effect.fn.Return<boolean, SolanaNodeFailed> {
  const first = yield* node.firstAvailableSlot
  return first === 0 || (yield* node.blockTime(first)) <= sinceSeconds
})

/**
 * Walks page by page, while `onPage` returns `true`. Returns whether it has shown every transaction since the time at
 * which it began or behind it.
 */
export const walkBack = Effect.fnUntraced(function* (
  node: SolanaNode,
  { address, before: start, maxPages, sinceSeconds, slot }: Walk,
  onPage: (page: Page) => Effect.Effect<boolean, SolanaNodeFailed>
): Effect.fn.Return<boolean, SolanaNodeFailed> {
  /** A block without a time may be of any. */
  const isSince = ({ blockTime }: SignatureEntry): boolean => (blockTime ?? Infinity) >= sinceSeconds
  let before = start
  for (let page = 0; page < maxPages; page++) {
    // A node that doesn't know that transaction yet lists none behind it, and doesn't say so.
    const newest = Math.max(slot, before?.slot ?? 0)
    const listed = yield* node.signatures(address, { before: before?.signature, slot: newest })
    const last = listed.at(-1)
    if (last !== undefined && !(yield* onPage({ entries: listed.filter(isSince), last }))) return false
    // An older transaction shows that nothing since then is missing.
    if (last !== undefined && !isSince(last)) return true
    if (listed.length < signaturesPerPage) return yield* hasBlocksSince(node, sinceSeconds)
    before = last
  }
  return false
})
