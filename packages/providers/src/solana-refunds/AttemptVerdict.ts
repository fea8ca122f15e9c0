import type { RefundTransaction } from "@till402/core"
import type { SignatureStatus } from "./SolanaNode.ts"
import type { TransferAttempt } from "./TransferJournal.ts"

/*
 * Decides what becomes of a transfer from its recorded attempts and what the chain shows of them. Pure.
 */

/** An attempt of this wallet, or one that the till has recorded for another wallet. */
export interface KnownAttempt extends Pick<
  TransferAttempt,
  "signature" | "lastValidBlockHeight" | "signedAtSlot" | "payer"
> {
  /** The signed transaction in base64; `undefined`: only another wallet can send it. */
  readonly transaction: string | undefined
}

/** The attempts of a wallet's journal, and those that only the till knows. */
export const knownAttempts = (
  attempts: ReadonlyArray<TransferAttempt>,
  recorded: ReadonlyArray<RefundTransaction>
): ReadonlyArray<KnownAttempt> => {
  const own = new Set(attempts.map(({ signature }) => signature))
  return [
    ...attempts,
    ...recorded
      .filter(({ transaction }) => !own.has(transaction))
      .map(({ lastValidBlockHeight, signedAtSlot, transaction, wallet }) => ({
        payer: wallet,
        signature: transaction,
        lastValidBlockHeight,
        signedAtSlot,
        transaction: undefined
      }))
  ]
}

/** What the chain shows of one attempt. */
type AttemptStatus = Pick<SignatureStatus, "hasFailed" | "isFinal">

/** The chain as it was read for a decision: the final block first, the statuses after it. */
export interface ChainView {
  /** Height and slot of the latest final block. */
  readonly finalHeight: number
  readonly finalSlot: number
  /** Status of each attempt, in their order; `undefined`: in no block that the node knows. */
  readonly statuses: ReadonlyArray<AttemptStatus | undefined>
  /** Slot up to which the node knew the statuses. */
  readonly statusSlot: number
  /** The oldest block that the node still has. */
  readonly firstAvailableSlot: number
}

/** What to do about a transfer. */
export type TransferVerdict<Attempt extends KnownAttempt = KnownAttempt> =
  /** It has moved for good. */
  | { readonly _tag: "Moved"; readonly attempt: Attempt }
  /** It may be moving: look again. */
  | { readonly _tag: "Wait" }
  /** Send this attempt again: it isn't in a block yet, and still can be. */
  | { readonly _tag: "Send"; readonly attempt: Attempt; readonly transaction: string }
  /**
   * No attempt moved, and none can any more. `isShown`: each of them is in a final block and failed there, so nothing
   * rests on what the node doesn't show.
   */
  | { readonly _tag: "Sign"; readonly isShown: boolean }
  /** This attempt has expired, and the node can't show whether it moved. */
  | { readonly _tag: "Uncertain"; readonly attempt: Attempt }

type AttemptState = "moved" | "confirming" | "live" | "dead" | "lagging" | "uncertain"

/**
 * A missing transaction is dead only if the final chain has passed its last valid block, if the node knew statuses up
 * to that final block, and if it still has all blocks since the transaction was signed. A lagging node, one of several
 * behind one address, or one that has deleted old blocks would otherwise make us pay twice.
 */
const stateOf = (attempt: KnownAttempt, status: AttemptStatus | undefined, view: ChainView): AttemptState => {
  if (status !== undefined) {
    if (!status.isFinal) return "confirming"
    return status.hasFailed ? "dead" : "moved"
  }
  if (view.finalHeight <= attempt.lastValidBlockHeight) return "live"
  if (view.statusSlot < view.finalSlot) return "lagging"
  return view.firstAvailableSlot <= attempt.signedAtSlot ? "dead" : "uncertain"
}

/** Decides about a transfer with its attempts. */
export const verdictOf = <Attempt extends KnownAttempt>(
  attempts: ReadonlyArray<Attempt>,
  view: ChainView
): TransferVerdict<Attempt> => {
  const judged = attempts.map((attempt, index) => ({
    attempt,
    state: stateOf(attempt, view.statuses[index], view)
  }))
  const all = (state: AttemptState) => judged.filter((each) => each.state === state)
  const [moved] = all("moved")
  if (moved !== undefined) return { _tag: "Moved", attempt: moved.attempt }
  if (all("confirming").length > 0 || all("lagging").length > 0) return { _tag: "Wait" }
  const [uncertain] = all("uncertain")
  if (uncertain !== undefined) return { _tag: "Uncertain", attempt: uncertain.attempt }
  const live = all("live")
  const [first] = live
  if (first === undefined)
    return { _tag: "Sign", isShown: view.statuses.every((status) => status !== undefined) }
  const { attempt } = first
  return attempt.transaction === undefined || live.some((each) => each.attempt.transaction === undefined)
    ? { _tag: "Wait" }
    : { _tag: "Send", attempt, transaction: attempt.transaction }
}
