import type { RefundAttempt } from "../ports/RefundAttempt.ts"
import type { ChainEvidence } from "../toll/evidence/Chain.ts"

/*
 * Decides which wallet may send a refund, by the attempts that the store has recorded. Nonces are unique per wallet only:
 * two wallets of one store, or a wallet and the one that replaced it, would each pay the refund once.
 */

/**
 * What a wallet does about a refund on an EVM network.
 *
 * The process that records an attempt may end it again in the store, if signing failed or a facilitator refused it: then
 * another wallet may send the refund. So an attempt that another process may still end is not submitted. It is recorded
 * once more, under the next sequence, where no process ends it.
 */
export type RefundTurn =
  /** Another wallet's attempt moved the money. */
  | { readonly _tag: "Moved"; readonly evidence: Extract<ChainEvidence, { readonly _tag: "Moved" }> }
  /** Another wallet's attempt may still move, or may have moved. */
  | { readonly _tag: "Wait"; readonly attempt: RefundAttempt }
  /** This wallet's last attempt is still valid, and no process ends it. Safe to submit again: its nonce is accepted once. */
  | { readonly _tag: "Submit"; readonly attempt: RefundAttempt }
  /** This wallet's last attempt is still valid, but another process may end it: record it once more, then submit it. */
  | { readonly _tag: "Repeat"; readonly attempt: RefundAttempt }
  /** No other wallet's attempt moved the money or can still move it: record this wallet's next attempt, then submit it. */
  | { readonly _tag: "Record" }

/** Less validity than this doesn't suffice for a facilitator: another attempt is recorded. */
const minValidSeconds = 60

/**
 * Whether an attempt may still move, or may have moved. `evidence` of its nonce; `undefined`: the chain can't be read.
 * Pure.
 *
 * It can't any more once every block that could contain it is final, and the nonce is unused: `finalitySeconds` after the
 * end of its validity, by the chain's own time. Where no chain can be read, only an attempt that was ended can't.
 */
export const mayMove = (
  { validBefore }: Pick<RefundAttempt, "validBefore">,
  evidence: ChainEvidence | undefined,
  { finalitySeconds }: { readonly finalitySeconds: number }
): boolean => {
  switch (evidence?._tag) {
    case "NotMoved":
      return evidence.chainTimeSeconds < validBefore + finalitySeconds
    case "NotPaid":
      return false
    case "Moved":
    case "Confirming":
    case "Unavailable":
      return true
    case undefined:
      return validBefore > 0
  }
}

/**
 * Decides what a wallet does about a refund. `evidence`: of the nonces of other wallets, by wallet. Pure.
 *
 * Wallets that decide at the same time both get `Record` for one sequence, and the store lets one of them record it.
 */
export const judgeTurn = (
  attempts: ReadonlyArray<RefundAttempt>,
  wallet: string,
  evidence: ReadonlyMap<string, ChainEvidence>,
  finality: { readonly finalitySeconds: number },
  nowSeconds: number
): RefundTurn => {
  const others = attempts.filter((attempt) => attempt.wallet !== wallet)
  const moved = others
    .map((attempt) => evidence.get(attempt.wallet))
    .find((each): each is Extract<ChainEvidence, { readonly _tag: "Moved" }> => each?._tag === "Moved")
  if (moved !== undefined) return { _tag: "Moved", evidence: moved }
  const open = others.find((attempt) => mayMove(attempt, evidence.get(attempt.wallet), finality))
  if (open !== undefined) return { _tag: "Wait", attempt: open }
  const last = attempts.at(-1)
  if (last === undefined || last.wallet !== wallet || last.validBefore < nowSeconds + minValidSeconds)
    return { _tag: "Record" }
  const previous = attempts.at(-2)
  const isRepeated = previous?.wallet === wallet && previous.validBefore === last.validBefore
  return isRepeated
    ? { _tag: "Submit", attempt: last }
    : { _tag: "Repeat", attempt: { ...last, sequence: last.sequence + 1 } }
}
