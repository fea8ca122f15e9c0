import type { ChainEvidence } from "../evidence/Chain.ts"
import { otherRequest, sentBack } from "./ReplayDecision.ts"
import {
  type ChainQuery,
  type ChargeEvent,
  type ChargeFacts,
  type ChargeStep,
  type Decision,
  type Ending,
  type EndStep,
  ImpossibleTransition,
  type ReconcilerPlan,
  type LeaseStep,
  type NextCheck,
  type Plan,
  type SettlementStep
} from "./ChargeStep.ts"

/*
 * Steps, plans and endings that several transitions of a charge share.
 *
 * Ways to end:
 *
 * | plan                   | lease ended by | looks for a copy | charge afterwards                |
 * |------------------------|----------------|------------------|----------------------------------|
 * | `leave`                | `YieldLease`   | no               | unchanged                        |
 * | `defer`                | `Defer`        | no               | unchanged, checked again later   |
 * | `deferUnknown`         | `Defer`        | no               | unchanged, checked again, logged |
 * | `refuseOwn`            | `Defer`        | yes              | voided, watched until it expires |
 * | `voidCharge`           | `Void`         | if refused       | voided, watched until it expires |
 * | `voidLate`             | `Void`         | yes              | voided, watched until it expires |
 * | `giveUp`, after `Void` | that `Void`    | if refused       | voided, watched until it expires |
 * | `release`              | `Release`      | no               | none                             |
 */

/** Of a charge that was reopened after its refund was sent, only another transfer is recorded. */
const afterRefund = <Step extends ChargeStep>(planned: Step | undefined): Plan<Step | LeaseStep> =>
  planned?._tag === "Complete" ? [{ ...planned, refund: "sent" }] : defer(closed, "backoff")

/** The plan that follows an event of the first step. */
export const follow = <Step extends ChargeStep>(
  [step, following, ...later]: Plan<ChargeStep, Step>,
  event: ChargeEvent,
  decision: Decision<Step>
): Plan<Step | LeaseStep> => {
  if (decision === "refunded") return afterRefund(following)
  if (decision !== "continue") return decision
  if (following === undefined) throw new ImpossibleTransition(step, event)
  return [following, ...later]
}

export const end = (ending: Ending): EndStep => ({ _tag: "End", ending })
export const refused = (code: string, message: string): Ending => ({
  _tag: "Refused",
  refusal: { code, message }
})
export const inProgress: Ending = { _tag: "InProgress" }
export const pending: Ending = { _tag: "Pending" }
export const closed: Ending = { _tag: "Closed" }
export const failed: Ending = { _tag: "Failed" }
export const unverifiable: Ending = { _tag: "Unverifiable" }

export const yieldLease: SettlementStep = { _tag: "YieldLease" }
export const rollBack: SettlementStep = { _tag: "RollBack", whole: true }
export const rollBackOwn: SettlementStep = { _tag: "RollBack", whole: false }
export const findAgain: Plan<LeaseStep> = [{ _tag: "Find" }]
export const judgeOwn: Plan<LeaseStep> = [{ _tag: "Judge", key: "own" }]
export const settleAgain: ReconcilerPlan = [{ _tag: "Settle", first: false }]

export const expired = refused(
  "payment_expired",
  "the payment expired before it was settled; nothing was charged, sign a new one"
)

export const ofAnotherRequest = refused("payment_already_used", otherRequest)

export const refundSent = refused("payment_refund_due", sentBack)

export const canceled = refused(
  "payment_canceled",
  "the payer canceled this payment on the chain; nothing was charged, sign a new one"
)

export const usedOtherwise = refused(
  "payment_nonce_used",
  "the payer used this payment's nonce for another transfer; nothing was charged here, sign a new payment"
)

export const failedOnChain = refused(
  "payment_failed",
  "the payment's transaction failed on the chain; nothing was charged, sign a new one"
)

export const unfunded = refused(
  "insufficient_funds",
  "the payer's balance doesn't cover all their open payments; nothing was charged, sign a new one after a top-up or when they have settled"
)

export const transferTaken = refused(
  "payment_already_used",
  "the transfer of this payment has paid for another one; nothing was charged, sign a new payment"
)

export const notPaid = ({ reason }: Extract<ChainEvidence, { _tag: "NotPaid" }>): Ending => {
  if (reason === "failed") return failedOnChain
  return reason === "canceled" ? canceled : usedOtherwise
}

/** Of a payment that was refused after its claim: its caller has read that nothing was charged, and may have signed another. */
export const refusedBefore = refused(
  "payment_refused",
  "a request with this payment was refused; nothing was charged, sign a new one"
)

/** Ends the lease of a charge for which this process has nothing left to do. */
export const leave = (ending: Ending): ReconcilerPlan => [yieldLease, end(ending)]

/** Defers a charge, with nothing to report. */
export const defer = (ending: Ending, nextCheck: NextCheck = "expiry"): ReconcilerPlan => [
  { _tag: "Defer", reason: undefined, nextCheck },
  end(ending)
]

/** Defers a charge whose outcome is unknown, for a reason that is logged. */
export const deferUnknown = (reason: string): ReconcilerPlan => [
  { _tag: "Defer", reason, nextCheck: "backoff" },
  end(pending)
]

/** Undoes the work of a payment that can't move any more, and deletes its charge. */
export const release = (ending: Ending): ReconcilerPlan => [rollBack, { _tag: "Release" }, end(ending)]

const findCopy: LeaseStep = { _tag: "FindCopy", expects: "voided" }

/**
 * Undoes the work of a voided charge. A refusal states that nothing was charged, so the caller gets it only if no copy
 * of the payment has been accepted since.
 */
export const giveUp = (ending: Ending): ReconcilerPlan =>
  ending._tag === "Refused" ? [rollBack, findCopy, end(ending)] : [rollBack, end(ending)]

/** Refuses a payment whose voided charge this call holds, unless a copy of the payment has been accepted since. */
export const refuseOwn = (ending: Ending): ReconcilerPlan => [
  { _tag: "Defer", reason: undefined, nextCheck: "expiry" },
  findCopy,
  end(ending)
]

/**
 * Voids a charge and undoes its work. The `Void` comes first, since it alone proves that this call still has the charge.
 * It ends the lease: if the payer has signed the same authorization twice, another call may use the quote under the same
 * key before the roll-back frees it. The quote then buys once more, at its price and until it expires.
 */
export const voidCharge = (
  ending: Ending,
  { keepsExposure }: { readonly keepsExposure: boolean }
): ReconcilerPlan => [
  { _tag: "Void", keepsExposure, isRefused: ending._tag === "Refused" },
  ...giveUp(ending)
]

/** Queries the chain before a plan, if it can be read. */
export const queryFirst = (facts: ChargeFacts, query: ChainQuery, plan: Plan<LeaseStep>): Plan<LeaseStep> =>
  facts.canReadChain ? [{ _tag: "QueryChain", query }, ...plan] : plan

/**
 * Voids a charge whose work was done too late to be recorded, and undoes that work. The caller reads that nothing was
 * charged only if the chain doesn't show otherwise: somebody else may have sent the payment meanwhile.
 */
export const voidLate = (facts: ChargeFacts): Plan<LeaseStep> => [
  { _tag: "Void", keepsExposure: false, isRefused: true, isUnrecorded: true },
  rollBack,
  ...queryFirst(facts, { _tag: "Refusal" }, [findCopy, end(expired)])
]

/**
 * Settles a payment again that may have settled before; its nonce makes that safe. Not if the work would follow and no
 * call waits for it: such a payment is checked again at `nextCheck`.
 */
export const settleUnlessUnwanted = (facts: ChargeFacts, nextCheck: NextCheck): ReconcilerPlan =>
  facts.workIsDue && facts.by === "reconciler" && facts.canReadChain ? defer(closed, nextCheck) : settleAgain
