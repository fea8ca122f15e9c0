import type { Charge } from "../ports/Charges.ts"
import type { ChainEvidence } from "./Chain.ts"
import {
  abandon,
  closed,
  expired,
  judgeHeld,
  leave,
  notPaid,
  ofAnotherRequest,
  pending,
  refused,
  settleUnlessUnwanted
} from "./CommonSteps.ts"
import type { Ending, Facts, Question, Reopened, Step, Watched } from "./Steps.ts"
import { clockSkewSeconds } from "./Verdict.ts"

/*
 * What follows from the chain's evidence about a charge's payment. Pure.
 */

const hasExpired = (facts: Facts, evidence: Extract<ChainEvidence, { _tag: "NotMoved" }>): boolean =>
  evidence.chainTimeSeconds > facts.validBeforeSeconds + facts.finalitySeconds

/**
 * A transfer from before a payment was presented, which no verification had ruled out. Our clock may be ahead of the
 * chain's; where a verification had, the clocks don't matter.
 */
const isForeign = (
  { unverifiedSinceMillis }: Pick<Charge, "unverifiedSinceMillis">,
  evidence: Extract<ChainEvidence, { _tag: "Moved" }>
): boolean => evidence.atSeconds < Math.floor(unverifiedSinceMillis / 1000) - clockSkewSeconds

const completed = (
  { isFinal, logIndex, transaction }: Extract<ChainEvidence, { _tag: "Moved" }>,
  refundDue: boolean
): Step => ({ _tag: "Complete", transaction, proof: { logIndex, isFinal }, refundDue })

const watched = (facts: Facts, { charge, sameRequest }: Watched, evidence: ChainEvidence): Step => {
  switch (evidence._tag) {
    case "Moved":
      // It is owed to the request that the payment was made for: to a retry of that, or by the reconciler.
      if (!sameRequest) return { _tag: "Leave", reason: undefined, ending: ofAnotherRequest }
      // Moved before it was ever presented here: a signature that was read off the chain buys nothing.
      return isForeign(charge, evidence)
        ? abandon(facts.by === "call" ? usedElsewhere : closed, true)
        : completed(evidence, !charge.settlesFirst)
    case "NotMoved":
      if (hasExpired(facts, evidence)) return abandon(facts.by === "call" ? expired : closed, true)
      return facts.by === "call" ? judgeHeld : { _tag: "Leave", reason: undefined, ending: closed }
    case "NotPaid":
      return abandon(facts.by === "call" ? notPaid(evidence) : closed, true)
    case "Confirming":
    case "Unavailable":
      return { _tag: "Leave", reason: undefined, ending: facts.by === "call" ? pending : closed }
  }
}

const usedElsewhere = refused(
  "payment_already_used",
  "this payment was made before it was presented here; sign a new one"
)

/** A payment that was claimed and is about to be refused, unless its money has moved meanwhile. */
const refusedUnless = (facts: Facts, ending: Ending, evidence: ChainEvidence): Step => {
  switch (evidence._tag) {
    case "Moved":
      return completed(evidence, !facts.settlesFirst)
    case "NotMoved":
      return abandon(ending, false)
    case "NotPaid":
      return abandon(notPaid(evidence), false)
    case "Confirming":
    case "Unavailable":
      return abandon(pending, false)
  }
}

const hasResponse = ({ answer, answerExpiredAtMillis }: Charge): boolean =>
  answer !== undefined || answerExpiredAtMillis !== undefined

/** Whether the transfer that settled a charge still stands. */
const checkedAgain = (charge: Charge, evidence: ChainEvidence): Step => {
  // Its money went back: all that is left to record is the transfer that moved it, if one does.
  if (charge.refund?._tag === "Sent" && evidence._tag !== "Moved")
    return { _tag: "Leave", reason: undefined, ending: closed }
  switch (evidence._tag) {
    case "Moved": {
      if (charge.state !== "settled") return completed(evidence, true)
      const { isFinal, logIndex, transaction } = evidence
      const isSame =
        transaction.toLowerCase() === charge.receipt?.transaction.toLowerCase() &&
        logIndex === charge.transferLogIndex
      if (isSame) return isFinal ? { _tag: "Finalize" } : { _tag: "Leave", reason: undefined, ending: closed }
      const refundDue = charge.refund !== undefined
      return reopen({ _tag: "Moved", transaction, proof: { logIndex, isFinal }, refundDue })
    }
    case "NotMoved":
      // A node whose latest block is older than the settlement has not seen the transfer yet.
      return evidence.chainTimeSeconds * 1000 > (charge.settledAtMillis ?? 0)
        ? reopen({ _tag: "NotMoved", isVoided: !hasResponse(charge) && !charge.settlesFirst })
        : { _tag: "Leave", reason: undefined, ending: closed }
    case "NotPaid":
      return reopen({ _tag: "NotPaid" })
    case "Confirming":
    case "Unavailable":
      return { _tag: "Leave", reason: undefined, ending: closed }
  }
}

const reopen = (next: Reopened): Step => ({ _tag: "Reopen", next })

export const reopened = (facts: Facts, next: Reopened): Step => {
  if (facts.isRefunded && next._tag !== "Moved") return { _tag: "Leave", reason: undefined, ending: closed }
  switch (next._tag) {
    case "Moved": {
      const refundDue = next.refundDue || facts.isRefunded
      return { _tag: "Complete", transaction: next.transaction, proof: next.proof, refundDue }
    }
    case "NotMoved":
      return next.isVoided
        ? { _tag: "Leave", reason: undefined, ending: closed }
        : settleUnlessUnwanted(facts)
    case "NotPaid":
      return { _tag: "Void", worked: true, ending: closed }
  }
}

export const seen = (facts: Facts, question: Question, evidence: ChainEvidence): Step => {
  const worked = !facts.settlesFirst
  switch (question._tag) {
    case "Watch":
      return watched(facts, question.watched, evidence)
    case "Finality":
      return checkedAgain(question.charge, evidence)
    case "Refusal":
      return refusedUnless(facts, question.ending, evidence)
    case "Proof":
    case "Before":
      if (evidence._tag === "Moved")
        return isForeign(facts, evidence)
          ? { _tag: "Void", worked, ending: usedElsewhere }
          : completed(evidence, false)
      if (evidence._tag === "NotPaid") return { _tag: "Void", worked, ending: notPaid(evidence) }
      if (evidence._tag === "NotMoved" && hasExpired(facts, evidence))
        return { _tag: "Void", worked, ending: expired }
      if (evidence._tag === "Confirming") return leave("the transfer has too few confirmations yet")
      return question._tag === "Before" ? settleUnlessUnwanted(facts) : leave(question.reason)
  }
}
