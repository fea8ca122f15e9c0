import type { SignatureStatus } from "./SolanaNode.ts"
import type { TransferAttempt } from "./TransferJournal.ts"

/*
 * Decides what becomes of a transfer from its recorded attempts and what the chain shows of them. Pure.
 */

/** What the chain shows of one attempt. */
type AttemptStatus = Pick<SignatureStatus, "hasFailed" | "isFinal">

/** The chain as it was read for a decision: the final block first, the statuses after it. */
export interface ChainView {
  /** Height and slot of the latest final block. */
  readonly finalHeight: number
  readonly finalSlot: number
  /** Status of each attempt by position; `undefined`: in no block that the node knows. */
  readonly statuses: ReadonlyArray<AttemptStatus | undefined>
  /** Slot up to which the node knew the statuses. */
  readonly statusSlot: number
  /** The oldest block that the node still has. */
  readonly firstAvailableSlot: number
}

/** What to do about a transfer. */
export type TransferVerdict =
  /** It has moved for good. */
  | { readonly _tag: "Moved"; readonly attempt: TransferAttempt }
  /** It may be moving: look again. */
  | { readonly _tag: "Wait" }
  /** Send this attempt again: it isn't in a block yet, and still can be. */
  | { readonly _tag: "Send"; readonly attempt: TransferAttempt }
  /** No attempt moved, and none can any more. */
  | { readonly _tag: "Sign"; readonly position: number }
  /** This attempt has expired, and the node can't show whether it moved. */
  | { readonly _tag: "Uncertain"; readonly attempt: TransferAttempt }

type AttemptState = "moved" | "confirming" | "live" | "dead" | "lagging" | "uncertain"

/**
 * A missing transaction is dead only if the final chain has passed its last valid block, if the node knew statuses up
 * to that final block, and if it still has all blocks since the transaction was signed. A lagging node, one of several
 * behind one address, or one that has deleted old blocks would otherwise make us pay twice.
 */
const stateOf = (attempt: TransferAttempt, view: ChainView): AttemptState => {
  const status = view.statuses[attempt.position]
  if (status !== undefined) {
    if (!status.isFinal) return "confirming"
    return status.hasFailed ? "dead" : "moved"
  }
  if (view.finalHeight <= attempt.lastValidBlockHeight) return "live"
  if (view.statusSlot < view.finalSlot) return "lagging"
  return view.firstAvailableSlot <= attempt.signedAtSlot ? "dead" : "uncertain"
}

/** Decides about a transfer with its attempts by position. */
export const verdictOf = (attempts: ReadonlyArray<TransferAttempt>, view: ChainView): TransferVerdict => {
  const judged = attempts.map((attempt) => ({ attempt, state: stateOf(attempt, view) }))
  const first = (state: AttemptState) => judged.find((each) => each.state === state)?.attempt
  const moved = first("moved")
  if (moved !== undefined) return { _tag: "Moved", attempt: moved }
  if (first("confirming") !== undefined || first("lagging") !== undefined) return { _tag: "Wait" }
  const uncertain = first("uncertain")
  if (uncertain !== undefined) return { _tag: "Uncertain", attempt: uncertain }
  const live = first("live")
  return live === undefined ? { _tag: "Sign", position: attempts.length } : { _tag: "Send", attempt: live }
}
