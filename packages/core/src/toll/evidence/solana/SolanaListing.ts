import { Effect } from "effect"
import {
  type SignatureEntry,
  signaturesPerPage,
  type SolanaClock,
  type SolanaNode,
  type SolanaNodeFailed
} from "./SolanaNode.ts"

/** Transactions that name an address, newest first. */
export interface Listing {
  readonly signatures: ReadonlyArray<string>
  /** Nothing in the span of time was left out. */
  readonly isComplete: boolean
}

/** Less than a slot takes, which is 0.4 s. */
const leastSlotSeconds = 0.3

/**
 * Whether a node has all blocks since a time. One that was started anew, or that has deleted old blocks, lists nothing of
 * them, and doesn't say so.
 */
const hasBlocksSince = (node: SolanaNode, sinceSeconds: number, { seconds, slot }: SolanaClock) =>
  Effect.map(
    node.firstAvailableSlot,
    (first) => first <= Math.max(0, slot - (seconds - sinceSeconds) / leastSlotSeconds)
  )

/** What is listed. */
export interface ListedSpan {
  readonly clock: SolanaClock
  /** The node must have this block; default: that of `clock`. */
  readonly slot?: number
  readonly sinceSeconds: number
  readonly beforeSeconds?: number
}

/** Lists the transactions that name an address since a time. */
export const listSince = Effect.fnUntraced(function* (
  node: SolanaNode,
  address: string,
  span: ListedSpan,
  limits: { readonly pages: number; readonly signatures: number }
): Effect.fn.Return<Listing, SolanaNodeFailed> {
  const { beforeSeconds = Infinity, clock, sinceSeconds, slot = clock.slot } = span
  /** A block without a time may be of any. */
  const isSince = ({ blockTime }: SignatureEntry): boolean => (blockTime ?? Infinity) >= sinceSeconds
  const isBefore = ({ blockTime }: SignatureEntry): boolean => (blockTime ?? -Infinity) < beforeSeconds
  const signatures: Array<string> = []
  let before: string | undefined
  let isComplete = false
  for (let page = 0; page < limits.pages && !isComplete; page++) {
    const entries = yield* node.signatures(address, { before, slot })
    for (const entry of entries) if (isSince(entry) && isBefore(entry)) signatures.push(entry.signature)
    const last = entries.at(-1)
    // An older entry shows that nothing since then is missing.
    const reachesBack = last !== undefined && !isSince(last)
    isComplete =
      reachesBack ||
      (entries.length < signaturesPerPage && (yield* hasBlocksSince(node, sinceSeconds, clock)))
    if (entries.length < signaturesPerPage) break
    before = last?.signature
  }
  return {
    signatures: signatures.slice(0, limits.signatures),
    isComplete: isComplete && signatures.length <= limits.signatures
  }
})
