import type { Receipt } from "../../domain/PaymentRequired.ts"
import type { Charge } from "../../ports/Charges.ts"
import type { Settlement } from "../facilitator/Facilitator.ts"
import { afterReopening, afterSeeing } from "./ChainDecision.ts"
import {
  findAgain,
  closed,
  defer,
  deferUnknown,
  end,
  giveUp,
  judgeHeld,
  ofAnotherRequest,
  pending,
  refundSent,
  refused,
  resume,
  rollBack,
  settleAgain,
  transferTaken
} from "./Endings.ts"
import {
  type ChargeEvent,
  type ChargeFacts,
  type Ending,
  type EndStep,
  ImpossibleTransition,
  type PaidFirst,
  type ResumeStep,
  type SettlementStep,
  type TakenEvent
} from "./ChargeStep.ts"

/*
 * The part of the charge's machine that calls and the reconciler share: steps under a charge's lease, which need no
 * request. Pure.
 */

/** What follows a settlement's step; a call may resume its own request. */
export type AfterSettlement = SettlementStep | ResumeStep | EndStep

const owedOf = ({ receipt, responseOwedUntilMillis }: Charge): PaidFirst | undefined =>
  receipt === undefined || responseOwedUntilMillis === undefined
    ? undefined
    : { receipt, untilMillis: responseOwedUntilMillis }

const takenSettled = (facts: ChargeFacts, event: TakenEvent, charge: Charge): AfterSettlement => {
  const paid = owedOf(charge)
  const { receipt } = charge
  if (charge.effectPending && receipt !== undefined)
    return facts.by === "call" ? { _tag: "Apply", receipt, thenFind: true } : { _tag: "Apply", receipt }
  if (paid !== undefined && paid.untilMillis <= event.nowMillis) return { _tag: "MarkRefundDue" }
  if (facts.by === "call") {
    if (paid === undefined) return { _tag: "EndLease", ending: pending }
    return event.sameRequest ? { _tag: "Work", paid } : { _tag: "EndLease", ending: ofAnotherRequest }
  }
  return charge.awaitsFinality && facts.canReadChain
    ? { _tag: "QueryChain", query: { _tag: "Finality", charge } }
    : { _tag: "EndLease", ending: closed }
}

const takenReady = (facts: ChargeFacts, sameRequest: boolean): SettlementStep => {
  // It was found as a claim with an expired lease, and its slow holder has since recorded a response, which is for
  // another request.
  if (facts.by === "call" && !sameRequest) return defer(ofAnotherRequest)
  return facts.canReadChain ? { _tag: "QueryChain", query: { _tag: "Before" } } : settleAgain
}

/** Its refund was sent and a reorganization undid its settlement: only another transfer can complete it. */
const takenRefunded = (facts: ChargeFacts, charge: Charge): SettlementStep => {
  if (facts.by === "call") return defer(refundSent)
  return facts.canReadChain
    ? { _tag: "QueryChain", query: { _tag: "Finality", charge } }
    : defer(closed, "backoff")
}

/** Which step follows in a call, after it took a charge over. */
export const afterTakeover = (event: TakenEvent, facts: ChargeFacts): AfterSettlement => {
  const { charge, isRefused = false, nowMillis, readable, sameRequest } = event
  if (!readable) return deferUnknown("the charge was encrypted with a key that is not configured")
  if (charge.state !== "settled" && charge.refund !== undefined) return takenRefunded(facts, charge)
  switch (charge.state) {
    case "claimed":
      // Its first holder has lost the lease and can't record anything. What it prepared is unknown, and expires.
      return facts.by === "call"
        ? { _tag: "Void", keepsExposure: false, resumes: { charge, sameRequest }, ending: closed }
        : { _tag: "Void", keepsExposure: false, ending: closed }
    case "ready":
      return takenReady(facts, sameRequest)
    case "settled":
      return takenSettled(facts, event, charge)
    case "voided":
      if (facts.canReadChain)
        return { _tag: "QueryChain", query: { _tag: "Watch", watched: { charge, sameRequest, isRefused } } }
      // No chain can be read, but an expired authorization can't move any more.
      return facts.by === "reconciler" && nowMillis > facts.validBeforeSeconds * 1000
        ? rollBack(closed, true)
        : resume({ isRefused })
  }
}

const afterSettling = (facts: ChargeFacts, first: boolean, settlement: Settlement): SettlementStep => {
  switch (settlement._tag) {
    case "Rejected":
      return first
        ? {
            _tag: "Void",
            keepsExposure: !facts.workIsDue,
            ending: refused(
              settlement.reason,
              "the facilitator refused to settle the payment; nothing was charged, sign a new one"
            )
          }
        : deferUnknown(settlement.reason)
    case "Settled":
      return facts.proofRequired && facts.canReadChain
        ? {
            _tag: "QueryChain",
            query: {
              _tag: "Proof",
              transaction: settlement.transaction,
              reason: "the chain does not show the settlement that the facilitator reported"
            }
          }
        : { _tag: "Complete", transaction: settlement.transaction, proof: undefined, refundDue: false }
    case "Unknown":
      return facts.canReadChain
        ? {
            _tag: "QueryChain",
            query: { _tag: "Proof", transaction: settlement.transaction, reason: settlement.reason }
          }
        : deferUnknown(settlement.reason)
  }
}

const afterCompletion = (
  facts: ChargeFacts,
  step: Extract<SettlementStep, { _tag: "Complete" }>,
  event: Extract<ChargeEvent, { _tag: "Completed" }>
): AfterSettlement => {
  const { owedUntilMillis, receipt, refundDue } = event
  const endsLease = event.isProvisional === true ? { endsLease: true as const } : {}
  // Another process completed it, with a response that this call doesn't have: look it up.
  if (step.refundDue && !refundDue && facts.by === "call") return findAgain
  if (refundDue || step.isRefunded === true)
    return {
      _tag: "RollBack",
      whole: true,
      thenDelete: false,
      ...endsLease,
      ending: refundEnding(facts, receipt)
    }
  if (!facts.workIsDue) return { _tag: "Apply", receipt, ...endsLease }
  if (owedUntilMillis !== undefined) return { _tag: "Work", paid: { receipt, untilMillis: owedUntilMillis } }
  // Another process holds the charge, or has delivered the response.
  return facts.by === "call" ? findAgain : end({ _tag: "Paid", receipt })
}

const refundEnding = (facts: ChargeFacts, receipt: Receipt): Ending =>
  facts.by === "reconciler" ? { _tag: "Paid", receipt } : refundIsDue

/** The payment was refused, but moved anyway, and has no response. */
export const refundIsDue = refused(
  "payment_refund_due",
  "this payment was refused but was settled anyway; it will be refunded, sign a new one to buy"
)

/**
 * Attempts after which a transfer recorded for another charge counts as that charge's. A reorganization can move the
 * events of a batch, and the other charge is then about to get another transfer.
 */
const takenPatience = 4

const afterVoiding = (
  facts: ChargeFacts,
  step: Extract<SettlementStep, { _tag: "Void" }>,
  voided: boolean
): AfterSettlement => {
  // Another process has taken it over: its result counts.
  if (!voided) return findAgain
  if (step.resumes !== undefined)
    return facts.canReadChain
      ? { _tag: "QueryChain", query: { _tag: "Watch", watched: step.resumes } }
      : judgeHeld
  return step.isOpen === true && facts.canReadChain
    ? { _tag: "QueryChain", query: { _tag: "Refusal", ending: step.ending } }
    : giveUp(facts, step.ending)
}

/** Ends a call whose charge is voided and free, unless it looks the charge up first. */
const findOrEnd = ({
  ending,
  thenFind
}: Extract<SettlementStep, { _tag: "RollBack" | "Defer" }>): AfterSettlement =>
  thenFind === true ? { _tag: "Find", instead: ending, orVoided: true } : end(ending)

/** Which step follows in a call, after a step that it shares with the reconciler. */
export const afterSettlementStep = (
  step: SettlementStep,
  event: ChargeEvent,
  facts: ChargeFacts
): AfterSettlement => {
  switch (step._tag) {
    case "Settle":
      if (event._tag === "Settled") return afterSettling(facts, step.first, event.settlement)
      break
    case "QueryChain":
      if (event._tag === "Seen") return afterSeeing(facts, step.query, event.evidence)
      break
    case "Complete":
      if (event._tag === "Completed") return afterCompletion(facts, step, event)
      if (event._tag === "TransferTaken")
        return step.isRefunded === true || event.attempts < takenPatience
          ? deferUnknown("the transfer is recorded for another charge")
          : { _tag: "Void", keepsExposure: true, ending: transferTaken }
      if (event._tag === "Overtaken") return end(pending)
      break
    case "Reopen":
      if (event._tag === "Reopened")
        return event.reopened ? afterReopening(facts, step.next, event) : end(closed)
      break
    case "Apply":
      if (event._tag === "Done")
        return step.thenFind === true ? findAgain : end({ _tag: "Paid", receipt: step.receipt })
      break
    case "Void":
      if (event._tag === "Voided") return afterVoiding(facts, step, event.voided)
      break
    case "RollBack":
      if (event._tag === "Done")
        return step.thenDelete ? { _tag: "DeleteCharge", ending: step.ending } : findOrEnd(step)
      break
    case "Defer":
      if (event._tag === "Done") return findOrEnd(step)
      break
    case "DeleteCharge":
    case "EndLease":
      if (event._tag === "Done") return end(step.ending)
      break
    case "Finalize":
      if (event._tag === "Done") return end(closed)
      break
    case "MarkRefundDue":
      if (event._tag === "Done") return findAgain
      break
  }
  throw new ImpossibleTransition(step, event)
}

/** Replaces the steps with which a call resumes its own request: the reconciler has no request. */
const withoutRequest = (step: AfterSettlement): SettlementStep | EndStep => {
  switch (step._tag) {
    // Another process handles the charge.
    case "Find":
      return end(closed)
    // Nothing is due for the charge: it is watched until its authorization has expired.
    case "Judge":
      return defer(closed)
    // The caller's retry does the work.
    case "Work":
      return { _tag: "EndLease", ending: { _tag: "Paid", receipt: step.paid.receipt } }
    default:
      return step
  }
}

/** The reconciler's first step under the lease of a charge. */
export const beginInReconciler = (event: TakenEvent, facts: ChargeFacts): SettlementStep | EndStep =>
  withoutRequest(afterTakeover(event, facts))

/** Which step follows in the reconciler. */
export const nextInReconciler = (
  step: SettlementStep,
  event: ChargeEvent,
  facts: ChargeFacts
): SettlementStep | EndStep => withoutRequest(afterSettlementStep(step, event, facts))
