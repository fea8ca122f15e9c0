import type { Charge } from "../../ports/Charges.ts"
import type { ChainEvidence } from "../evidence/Chain.ts"
import {
  closed,
  defer,
  deferUnknown,
  expired,
  giveUp,
  notPaid,
  ofAnotherRequest,
  pending,
  refused,
  resume,
  rollBack,
  settleUnlessUnwanted
} from "./Endings.ts"
import type {
  ChainQuery,
  ChargeEvent,
  ChargeFacts,
  Ending,
  Proof,
  Reopened,
  ResumeStep,
  SettlementStep,
  Watched
} from "./ChargeStep.ts"

/*
 * The steps that follow from the chain's evidence about a payment. Pure.
 */

const hasExpired = (facts: ChargeFacts, evidence: Extract<ChainEvidence, { _tag: "NotMoved" }>): boolean =>
  evidence.chainTimeSeconds > facts.validBeforeSeconds + facts.finalitySeconds

/**
 * Ends a payment whose transfer was on the chain before its claim: it paid for something else, or its signature was
 * copied from there. It buys nothing here, and is not refunded from here.
 */
const usedElsewhere = refused(
  "payment_already_used",
  "this payment was made before it was presented here; sign a new one"
)

const completed = (
  { isFinal, logIndex, transaction }: Extract<ChainEvidence, { _tag: "Moved" }>,
  refundDue: boolean
): SettlementStep => ({ _tag: "Complete", transaction, proof: { logIndex, isFinal }, refundDue })

const watched = (
  facts: ChargeFacts,
  { charge, isRefused, sameRequest }: Watched,
  evidence: ChainEvidence
): SettlementStep | ResumeStep => {
  switch (evidence._tag) {
    case "Moved":
      // The refund is due to the request that the payment was made for: its retry or the reconciler records it.
      if (!sameRequest) return defer(ofAnotherRequest)
      return evidence.precedesClaim === true
        ? rollBack(facts.by === "call" ? usedElsewhere : closed, true)
        : completed(evidence, !charge.settlesFirst)
    case "NotMoved":
      if (hasExpired(facts, evidence)) return rollBack(facts.by === "call" ? expired : closed, true)
      return resume({ isRefused })
    case "NotPaid":
      return rollBack(facts.by === "call" ? notPaid(evidence) : closed, true)
    case "Confirming":
    case "Unavailable":
      return defer(facts.by === "call" ? pending : closed)
  }
}

/** Refuses a claimed payment, unless its money has moved. */
const refusedUnless = (facts: ChargeFacts, ending: Ending, evidence: ChainEvidence): SettlementStep => {
  switch (evidence._tag) {
    case "Moved":
      return evidence.precedesClaim === true
        ? rollBack(usedElsewhere, false)
        : completed(evidence, !facts.workIsDue)
    case "NotMoved":
      return giveUp(facts, ending)
    case "NotPaid":
      return giveUp(facts, notPaid(evidence))
    case "Confirming":
    case "Unavailable":
      return giveUp(facts, pending)
  }
}

const hasResponse = ({ response, responseExpiredAtMillis }: Charge): boolean =>
  response !== undefined || responseExpiredAtMillis !== undefined

/** Checks whether the chain still has the transfer that settled a charge, with backoff until that is final. */
const checkedAgain = (charge: Charge, evidence: ChainEvidence): SettlementStep => {
  // A refund was sent: nothing is left to record, unless another transfer moved the payment.
  if (charge.refund?._tag === "Sent" && evidence._tag !== "Moved") return defer(closed, "backoff")
  switch (evidence._tag) {
    case "Moved": {
      const { isFinal, logIndex, transaction } = evidence
      if (charge.state !== "settled") return completedAsRefunded(transaction, { logIndex, isFinal })
      const isSame =
        transaction.toLowerCase() === charge.receipt?.transaction.toLowerCase() &&
        logIndex === charge.transferLogIndex
      if (isSame) return isFinal ? { _tag: "Finalize" } : defer(closed, "backoff")
      const refundDue = charge.refund !== undefined
      return reopen({ _tag: "Moved", transaction, proof: { logIndex, isFinal }, refundDue })
    }
    case "NotMoved":
      // A node whose latest block is older than the settlement has not seen the transfer yet.
      return evidence.chainTimeSeconds * 1000 > (charge.settledAtMillis ?? 0)
        ? reopen({ _tag: "NotMoved", isVoided: !hasResponse(charge) && !charge.settlesFirst })
        : defer(closed, "backoff")
    case "NotPaid":
      return reopen({ _tag: "NotPaid" })
    case "Confirming":
    case "Unavailable":
      return defer(closed, "backoff")
  }
}

/** Records the transfer of a payment whose refund was sent. */
const completedAsRefunded = (transaction: string, proof: Proof): SettlementStep => ({
  _tag: "Complete",
  transaction,
  proof,
  refundDue: true,
  isRefunded: true
})

const reopen = (next: Reopened): SettlementStep => ({ _tag: "Reopen", next })

/** Which step follows once a charge has been reopened. */
export const afterReopening = (
  facts: ChargeFacts,
  next: Reopened,
  { isRefunded }: Pick<Extract<ChargeEvent, { _tag: "Reopened" }>, "isRefunded">
): SettlementStep => {
  if (isRefunded)
    return next._tag === "Moved"
      ? completedAsRefunded(next.transaction, next.proof)
      : defer(closed, "backoff")
  switch (next._tag) {
    case "Moved":
      return { _tag: "Complete", transaction: next.transaction, proof: next.proof, refundDue: next.refundDue }
    case "NotMoved":
      // The chain usually includes the transfer again soon: the first check doesn't wait for the expiry.
      return next.isVoided ? defer(closed, "backoff") : settleUnlessUnwanted(facts, "backoff")
    case "NotPaid":
      return { _tag: "Void", keepsExposure: true, ending: closed }
  }
}

/** Which step follows the chain's evidence. */
export const afterSeeing = (
  facts: ChargeFacts,
  query: ChainQuery,
  evidence: ChainEvidence
): SettlementStep | ResumeStep => {
  const keepsExposure = !facts.workIsDue
  switch (query._tag) {
    case "Watch":
      return watched(facts, query.watched, evidence)
    case "Finality":
      return checkedAgain(query.charge, evidence)
    case "Refusal":
      return refusedUnless(facts, query.ending, evidence)
    case "Proof":
    case "Before":
      if (evidence._tag === "Moved")
        return evidence.precedesClaim === true
          ? { _tag: "Void", keepsExposure, ending: usedElsewhere }
          : completed(evidence, false)
      if (evidence._tag === "NotPaid") return { _tag: "Void", keepsExposure, ending: notPaid(evidence) }
      if (evidence._tag === "NotMoved" && hasExpired(facts, evidence))
        return { _tag: "Void", keepsExposure, ending: expired }
      if (evidence._tag === "Confirming") return deferUnknown("the transfer has too few confirmations yet")
      return query._tag === "Before" ? settleUnlessUnwanted(facts, "expiry") : deferUnknown(query.reason)
  }
}
