import { Effect } from "effect"
import {
  type SignatureEntry,
  signaturesPerPage,
  type SolanaNode,
  type SolanaNodeFailed
} from "./SolanaNode.ts"

/** Transactions that name an address, newest first. */
export interface Listing {
  readonly signatures: ReadonlyArray<string>
  /** Nothing in the span of time was left out. */
  readonly isComplete: boolean
}

/** Lists the transactions that name an address since a time, as of a block not older than `slot`. */
export const listSince = Effect.fnUntraced(function* (
  node: SolanaNode,
  address: string,
  span: { readonly slot: number; readonly sinceSeconds: number; readonly beforeSeconds?: number },
  limits: { readonly pages: number; readonly signatures: number }
): Effect.fn.Return<Listing, SolanaNodeFailed> {
  const { beforeSeconds = Infinity, sinceSeconds, slot } = span
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
    isComplete = entries.length < signaturesPerPage || last === undefined || !isSince(last)
    before = last?.signature
  }
  return {
    signatures: signatures.slice(0, limits.signatures),
    isComplete: isComplete && signatures.length <= limits.signatures
  }
})
