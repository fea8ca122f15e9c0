import type { Receipt } from "../../domain/PaymentRequired.ts"
import type { Charge } from "../../ports/Charges.ts"
import type { Settlement } from "../facilitator/Facilitator.ts"
import { afterSeeing } from "./ChainDecision.ts"
import {
  closed,
  defer,
  deferUnknown,
  release,
  end,
  yieldLease,
  findAgain,
  follow,
  judgeOwn,
  leave,
  ofAnotherRequest,
  pending,
  queryFirst,
  refundSent,
  refused,
  refusedBefore,
  refuseOwn,
  rollBack,
  rollBackOwn,
  settleUnlessUnwanted,
  transferTaken,
  voidCharge
} from "./Plans.ts"
import {
  type ChargeEvent,
  type ChargeFacts,
  type CompleteStep,
  type Decision,
  type EndStep,
  ImpossibleTransition,
  type ReconcilerPlan,
  type LeaseStep,
  type PaidFirst,
  type Plan,
  type SettlementStep,
  type TakenEvent
} from "./ChargeStep.ts"

/*
 * The part of the charge's machine that calls and the reconciler share: steps under a charge's lease, which need no
 * request. Pure.
 */

const apply: SettlementStep = { _tag: "Apply" }

const paid = (receipt: Receipt): EndStep => end({ _tag: "Paid", receipt })

/** Checks whether the chain still has the transfer that settled a charge, with backoff until that is final. */
const checkFinality = (facts: ChargeFacts, charge: Charge): Plan<LeaseStep> =>
  queryFirst(facts, { _tag: "Finality", charge }, defer(closed, "backoff"))

const owedOf = ({ awaitsFinality, receipt, responseOwedUntilMillis }: Charge): PaidFirst | undefined =>
  receipt === undefined || responseOwedUntilMillis === undefined
    ? undefined
    : { receipt, untilMillis: responseOwedUntilMillis, isProvisional: awaitsFinality }

const takenSettled = (facts: ChargeFacts, event: TakenEvent, charge: Charge): Plan<LeaseStep> => {
  const owed = owedOf(charge)
  const { receipt } = charge
  if (charge.effectPending && receipt !== undefined)
    return facts.by === "call" ? [apply, ...findAgain] : [apply, paid(receipt)]
  // Ends the lease: a refund waits for a final proof, and the reconciler needs the lease to check that.
  if (owed !== undefined && owed.untilMillis <= event.nowMillis)
    return [{ _tag: "MarkRefundDue" }, yieldLease, ...findAgain]
  if (facts.by === "call") {
    if (owed === undefined) return leave(pending)
    return event.sameRequest ? [{ _tag: "Work", paid: owed }] : leave(ofAnotherRequest)
  }
  return charge.awaitsFinality && facts.canReadChain ? checkFinality(facts, charge) : leave(closed)
}

const takenReady = (facts: ChargeFacts, sameRequest: boolean): Plan<LeaseStep> =>
  // It was found as a claim with an expired lease, and its slow holder has since recorded a response, which is for
  // another request.
  facts.by === "call" && !sameRequest
    ? defer(ofAnotherRequest)
    : queryFirst(facts, { _tag: "Proof", transaction: undefined }, settleUnlessUnwanted(facts, "expiry"))

/** The plan under a charge's lease after a takeover, by a call or the reconciler. */
export const afterTakeover = (event: TakenEvent, facts: ChargeFacts): Plan<LeaseStep> => {
  const { charge, isRefused = false, nowMillis, readable, sameRequest } = event
  if (!readable) return deferUnknown("the charge was encrypted with a key that is not configured")
  // Its refund was sent and a reorganization undid its settlement: only another transfer can complete it.
  if (charge.state !== "settled" && charge.refund !== undefined)
    return facts.by === "call" ? defer(refundSent) : checkFinality(facts, charge)
  const watch = (plan: Plan<LeaseStep>) => queryFirst(facts, { _tag: "Watch", charge, sameRequest }, plan)
  switch (charge.state) {
    case "claimed":
      // Its first holder has lost the lease and can't record anything. The charge doesn't name what that holder prepared,
      // which expires: an order that nobody pays is abandoned.
      return facts.by === "call"
        ? [{ _tag: "Void", keepsExposure: false, isRefused: false }, ...watch(judgeOwn)]
        : voidCharge(closed, { keepsExposure: false })
    case "ready":
      return takenReady(facts, sameRequest)
    case "settled":
      return takenSettled(facts, event, charge)
    case "voided":
      // No chain can be read, but an expired authorization can't move any more.
      if (!facts.canReadChain && facts.by === "reconciler" && nowMillis > facts.validBeforeSeconds * 1000)
        return release(closed)
      return watch(isRefused ? refuseOwn(refusedBefore) : judgeOwn)
  }
}

const prove = (facts: ChargeFacts, transaction: string | undefined, reason: string): Plan<LeaseStep> =>
  queryFirst(facts, { _tag: "Proof", transaction }, deferUnknown(reason))

const afterSettling = (facts: ChargeFacts, first: boolean, settlement: Settlement): Plan<LeaseStep> => {
  switch (settlement._tag) {
    case "Rejected":
      return first
        ? voidCharge(
            refused(
              settlement.reason,
              "the facilitator refused to settle the payment; nothing was charged, sign a new one"
            ),
            { keepsExposure: !facts.workIsDue }
          )
        : deferUnknown(settlement.reason)
    case "Settled":
      return facts.proofRequired && facts.canReadChain
        ? prove(
            facts,
            settlement.transaction,
            "the chain does not show the settlement that the facilitator reported"
          )
        : [{ _tag: "Complete", transaction: settlement.transaction, proof: undefined, refund: "none" }]
    case "Unknown":
      return prove(facts, settlement.transaction, settlement.reason)
  }
}

/** The payment was refused, but moved anyway, and has no response. */
export const refundIsDue = refused(
  "payment_refund_due",
  "this payment was refused but was settled anyway; it will be refunded, sign a new one to buy"
)

const afterCompletion = (
  facts: ChargeFacts,
  { leaseEnded, refund }: CompleteStep,
  event: Extract<ChargeEvent, { _tag: "Completed" }>
): Plan<LeaseStep> => {
  const { isProvisional, owedUntilMillis, receipt, refundDue } = event
  // Another process completed it, with a response that this call doesn't have: look it up.
  if (refund !== "none" && !refundDue && facts.by === "call") return findAgain
  // A provisional proof is checked again by the reconciler, which needs the lease.
  if (refundDue || refund === "sent") {
    const undo: ReconcilerPlan = [rollBack, facts.by === "call" ? end(refundIsDue) : paid(receipt)]
    return isProvisional === true ? [yieldLease, ...undo] : undo
  }
  if (!facts.workIsDue)
    return isProvisional === true ? [apply, yieldLease, paid(receipt)] : [apply, paid(receipt)]
  if (owedUntilMillis !== undefined && leaseEnded !== true)
    return [
      { _tag: "Work", paid: { receipt, untilMillis: owedUntilMillis, isProvisional: isProvisional === true } }
    ]
  // Another process holds the charge or has delivered the response, or this call has to take the charge over again.
  return facts.by === "call" ? findAgain : [paid(receipt)]
}

/**
 * Attempts after which a transfer recorded for another charge counts as that charge's. A reorganization can move the
 * events of a batch, and the other charge is then about to get another transfer.
 */
const takenPatience = 4

/** What follows in a call, after a step that it shares with the reconciler. */
export const afterSettlementStep = (
  step: SettlementStep | EndStep,
  event: ChargeEvent,
  facts: ChargeFacts
): Decision<LeaseStep> => {
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
        return step.refund === "sent" || event.attempts < takenPatience
          ? deferUnknown("the transfer is recorded for another charge")
          : voidCharge(transferTaken, { keepsExposure: true })
      if (event._tag === "Overtaken") return [end(pending)]
      break
    case "Reopen":
      if (event._tag === "Reopened") {
        if (!event.reopened) return [end(closed)]
        return event.isRefunded ? "refunded" : "continue"
      }
      break
    case "Void":
      // Otherwise another process has taken it over: its result counts.
      if (event._tag === "Voided") {
        if (event.voided) return "continue"
        return step.isUnrecorded === true ? [rollBackOwn, ...findAgain] : findAgain
      }
      break
    case "Apply":
    case "RollBack":
    case "Finalize":
    case "MarkRefundDue":
    case "Release":
    case "YieldLease":
    case "Defer":
      if (event._tag === "Done") return "continue"
      break
  }
  throw new ImpossibleTransition(step, event)
}

/** Replaces the steps with which a call resumes its own request: the reconciler has no request. */
const withoutRequest = ([step, ...later]: Plan<LeaseStep>): ReconcilerPlan => {
  switch (step._tag) {
    // Another process handles the charge.
    case "Find":
    // Nobody reads the refusal.
    case "FindCopy":
      return [end(closed)]
    // Nothing is due for the charge: it is watched until its authorization has expired.
    case "Judge":
      return defer(closed)
    // The caller's retry does the work.
    case "Work":
      return [yieldLease, paid(step.paid.receipt)]
    default:
      return [step, ...later]
  }
}

/** The reconciler's plan under the lease of a charge. */
export const beginInReconciler = (event: TakenEvent, facts: ChargeFacts): ReconcilerPlan =>
  withoutRequest(afterTakeover(event, facts))

/** Which plan follows in the reconciler. */
export const nextInReconciler = (
  plan: ReconcilerPlan,
  event: ChargeEvent,
  facts: ChargeFacts
): ReconcilerPlan => withoutRequest(follow(plan, event, afterSettlementStep(plan[0], event, facts)))
