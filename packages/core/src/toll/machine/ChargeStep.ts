import type { Receipt } from "../../domain/PaymentRequired.ts"
import type { Charge } from "../../ports/Charges.ts"
import type { ChainEvidence } from "../evidence/Chain.ts"
import type { Settlement, Verification } from "../facilitator/Facilitator.ts"
import type { Work } from "../request/TollRequest.ts"
import type { Repetition } from "../request/PaymentErrors.ts"
import type { Refusal } from "../request/Verdict.ts"
import type { Presented } from "./ReplayDecision.ts"
import type { PayableTask } from "./SettlementTask.ts"

/*
 * The vocabulary of ChargeMachine.ts: steps to perform, events that result from them, endings, and plans.
 *
 * Methods of the `Charges` store by step: `Find`, `FindCopy` find; `TakeOver` takeOver; `Claim`, `ClaimRefused` claim; `Advance` advance;
 * `Deliver` deliver; `Complete` complete; `Apply` markApplied; `Void` void; `Release` release; `Finalize` finalize;
 * `Reopen` reopen; `MarkRefundDue` markRefundDue; `YieldLease` yieldLease; `Defer` defer, in a call yieldLease.
 */

/**
 * Steps to perform one after another. An event continues the plan or replaces it. The last step is an `End`, or its event
 * always makes a new plan.
 */
export type Plan<First extends ChargeStep = ChargeStep, Later extends ChargeStep = First> = readonly [
  First,
  ...ReadonlyArray<Later>
]

/**
 * What follows an event: the rest of the plan, or another plan. `refunded`: a charge was reopened whose refund was sent,
 * so of the plan only a transfer is recorded.
 */
export type Decision<Step extends ChargeStep = ChargeStep> = Plan<Step> | "continue" | "refunded"

/**
 * Facts about a charge that don't change while one process holds its lease. A call's facts are the request's until it
 * holds a charge, then the charge's.
 */
export interface ChargeFacts {
  readonly by: "call" | "reconciler"
  /** The chain of the payment can be read. */
  readonly canReadChain: boolean
  /** The facilitator's response is not enough: a settlement counts when the chain shows it. */
  readonly proofRequired: boolean
  /** The work follows the settlement and is still to be done. Always false where the work comes first. */
  readonly workIsDue: boolean
  readonly validBeforeSeconds: number
  /** Chain time after `validBeforeSeconds` in which a reorganization could still include the transfer. */
  readonly finalitySeconds: number
}

/** How a call or a reconciliation ends. */
export type Ending =
  | { readonly _tag: "Paid"; readonly receipt: Receipt }
  | { readonly _tag: "Replay"; readonly charge: Charge }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }
  /** The work failed, for the reason in the attempt. Nothing is charged. */
  | { readonly _tag: "Failed" }
  /** The facilitator can't be reached. Nothing is charged. */
  | { readonly _tag: "Unverifiable" }
  /** The payment settled and then the work failed: retries until `untilMillis` are free, then a refund is due. */
  | { readonly _tag: "Owed"; readonly receipt: Receipt; readonly untilMillis: number }
  | { readonly _tag: "InProgress" }
  | { readonly _tag: "Pending" }
  | { readonly _tag: "Limited" }
  /** Nothing is charged. */
  | RepeatedEvent
  /** The reconciler has nothing to report: the charge is released, watched, or held by another process. */
  | { readonly _tag: "Closed" }

export interface EndStep {
  readonly _tag: "End"
  readonly ending: Ending
}

/**
 * What a call knows about its payment's key before it claims it. `free`: no charge has it. `own`: the call was the last
 * holder of its voided charge, so it may replace it.
 */
export type KeyState = "free" | "own"

/** Steps that serve the request of a call. The reconciler has no request and never performs them. */
export type RequestStep =
  /** Look the key up. */
  | { readonly _tag: "Find" }
  /**
   * Before a refusal, check that no copy of the payment was accepted meanwhile. Continues if the key has no charge.
   * `voided`: also if it has the charge that this call has just voided.
   */
  | { readonly _tag: "FindCopy"; readonly expects: "nothing" | "voided" }
  /** Wait for the process or call that holds the charge. */
  | { readonly _tag: "Wait" }
  /** Continues if calls have taken it over too many times for now. */
  | { readonly _tag: "TakeOver" }
  /** Match the payment with the offers and judge it. */
  | { readonly _tag: "Judge"; readonly key: KeyState }
  /** Have the facilitator verify the payment. Nothing is written before this. */
  | { readonly _tag: "Verify"; readonly key: KeyState; readonly task: PayableTask }
  | { readonly _tag: "Claim"; readonly key: KeyState; readonly task: PayableTask }
  /**
   * Claim a free key for a payment that is refused as a repetition, to void it and watch it: the facilitator that verified
   * it, or a copy, may send it.
   */
  | { readonly _tag: "ClaimRefused"; readonly task: PayableTask; readonly ending: Ending }
  /** Wait until other calls of the payer have ended. */
  | { readonly _tag: "Queue" }
  /** Check that the payer's balance covers all their open payments. Continues if it does. */
  | { readonly _tag: "CheckFunds"; readonly task: PayableTask; readonly claimedAtMillis: number }
  /** `paid`: the payment has settled already. */
  | { readonly _tag: "Work"; readonly paid?: PaidFirst }
  /** Record the work, or without it that the payment is about to settle: from here on the charge is `ready`. */
  | { readonly _tag: "Advance"; readonly work?: Work }
  /** Record the work of a payment that settled first. */
  | { readonly _tag: "Deliver"; readonly work: Work }

/**
 * Steps under the lease of a charge, which calls and the reconciler share.
 *
 * Most leases end by `Void` or one of the last three. What each does to the charge:
 *
 * - `Void`: voids it. Any process may take it over at once; until one does, this one remains its owner.
 * - `YieldLease`: nothing. The next process may take it over at once.
 * - `Defer`: changes no payment data; the outcome stays open. In the reconciler it also counts a failed attempt and
 *   sets the next check.
 * - `Release`: deletes it, since its payment can't move any more.
 */
export type SettlementStep =
  /** Moves the money. `first`: no earlier attempt can have sent anything. */
  | { readonly _tag: "Settle"; readonly first: boolean }
  /** Continues if the chain shows nothing new. */
  | { readonly _tag: "QueryChain"; readonly query: ChainQuery }
  | CompleteStep
  /** Apply the settlement's effect. */
  | { readonly _tag: "Apply" }
  /**
   * `keepsExposure`: work was done that the payer did not pay for; it counts until the payment can't move any more.
   * `isRefused`: copies of this payment buy nothing any more. `isUnrecorded`: this call did work that it has not
   * recorded, and rolls it back even if another process holds the charge by now.
   */
  | {
      readonly _tag: "Void"
      readonly keepsExposure: boolean
      readonly isRefused: boolean
      readonly isUnrecorded?: true
    }
  /**
   * Undo what the work prepared, such as an order. `whole`: everything prepared under the charge's key. Else only this
   * call's own subject, because another process holds the key.
   */
  | { readonly _tag: "RollBack"; readonly whole: boolean }
  /** The proof of a settlement is final. */
  | { readonly _tag: "Finalize" }
  /** A reorganization undid the settlement. Continues if no refund was sent for it. */
  | { readonly _tag: "Reopen" }
  /** The response was owed for too long: the payment is refunded, unless another process has the charge by now. */
  | { readonly _tag: "MarkRefundDue" }
  /** Delete the charge, and its lease with it. */
  | { readonly _tag: "Release" }
  /** Ends the lease. Leaves `attempts` and `checkAfterMillis` unchanged. Never fails: a lease also expires by itself. */
  | { readonly _tag: "YieldLease" }
  /**
   * Ends the lease while the outcome is still open. `reason`: why it is unknown, for the log; `undefined`: nothing went
   * wrong.
   */
  | { readonly _tag: "Defer"; readonly reason: string | undefined; readonly nextCheck: NextCheck }

/** Records the transfer of a payment. */
export interface CompleteStep {
  readonly _tag: "Complete"
  readonly transaction: string
  /** Log index of the transfer that proves it; `undefined`: only the facilitator reported it. */
  readonly proof: Proof | undefined
  /**
   * `due`: the payment buys nothing and is refunded. `sent`: it was, before a reorganization undid its settlement; it is
   * neither applied nor voided.
   */
  readonly refund: "none" | "due" | "sent"
  /** The lease ended with a `Void`: if work is due, the charge is taken over again. */
  readonly leaseEnded?: true
}

/**
 * When the reconciler checks a deferred charge again: with backoff, or not before its payment can't move any more. A
 * call leaves that time unchanged.
 */
export type NextCheck = "backoff" | "expiry"

export type ChargeStep = RequestStep | SettlementStep | EndStep

/** Steps with which a call continues after those of a settlement: look up, serve its request, or do paid work. */
export type ResumeStep =
  | Extract<RequestStep, { readonly _tag: "Find" | "FindCopy" | "Judge" }>
  | { readonly _tag: "Work"; readonly paid: PaidFirst }

/** Steps of the plans that a settlement's events make. */
export type LeaseStep = SettlementStep | ResumeStep | EndStep

/** A plan that begins under a lease. */
export type ReconcilerPlan = Plan<SettlementStep | EndStep, LeaseStep>

/** The transfer that proves a settlement, by its index in the block's log. */
export interface Proof {
  readonly logIndex: number
  /** No reorganization is expected to undo it. */
  readonly isFinal: boolean
}

/** A payment that settled before its work. */
export interface PaidFirst {
  readonly receipt: Receipt
  /** Until when the response is owed; from then on a refund is due. */
  readonly untilMillis: number
  /** Its proof will be checked again, by the reconciler. */
  readonly isProvisional: boolean
}

/**
 * A query of the chain. `Proof`: whether an attempt moved the money, in `transaction` if one is known. `Watch`: whether a
 * voided payment moved after all. `Refusal`: whether a payment that is about to be refused had moved already.
 * `Finality`: whether the chain still has the transfer that settled the charge; for a refunded charge that was reopened,
 * which transfer moved it.
 */
export type ChainQuery =
  | { readonly _tag: "Proof"; readonly transaction: string | undefined }
  /** `sameRequest`: it was made for the request of this call; always true for the reconciler, which has none. */
  | { readonly _tag: "Watch"; readonly charge: Charge; readonly sameRequest: boolean }
  | { readonly _tag: "Refusal" }
  | { readonly _tag: "Finality"; readonly charge: Charge }

export type ChargeEvent =
  | {
      readonly _tag: "Found"
      readonly found: FoundCharge | undefined
      /** The caller can be kept waiting a little longer. */
      readonly patient: boolean
      readonly nowMillis: number
      /** The refusal of a copy of the payment for the same request, by this process since the call began. */
      readonly copyRefusal?: Refusal | undefined
    }
  | { readonly _tag: "Waited" }
  /** Calls took over this charge too many times for now. */
  | { readonly _tag: "Exhausted" }
  | TakenEvent
  | { readonly _tag: "Refused"; readonly refusal: Refusal }
  | { readonly _tag: "Accepted"; readonly task: PayableTask }
  | { readonly _tag: "Verified"; readonly verification: Verification }
  /** Another call of this process verifies the same payment. */
  | { readonly _tag: "Busy"; readonly patient: boolean }
  | { readonly _tag: "Claimed"; readonly claimedAtMillis: number }
  /** A limit is reached. `patient`: the call can wait for room. */
  | { readonly _tag: "Limited"; readonly patient: boolean }
  | RepeatedEvent
  /** The client has named another payment of its payer so, for the same request: it gets that one's response. */
  | { readonly _tag: "Identified"; readonly first: Charge }
  | { readonly _tag: "Funded"; readonly isCovered: boolean }
  | { readonly _tag: "Worked"; readonly work: Work; readonly nowSeconds: number }
  /** `refusal`: the payment doesn't buy this work after all. */
  | { readonly _tag: "WorkFailed"; readonly refusal?: Refusal | undefined }
  | { readonly _tag: "Advanced"; readonly advanced: boolean }
  | { readonly _tag: "Settled"; readonly settlement: Settlement }
  | { readonly _tag: "Seen"; readonly evidence: ChainEvidence }
  /** The settlement as recorded, by this process or another. */
  | {
      readonly _tag: "Completed"
      readonly receipt: Receipt
      readonly refundDue: boolean
      /** The response is owed until then. */
      readonly owedUntilMillis?: number | undefined
      /** Its proof will be checked again, by the reconciler. */
      readonly isProvisional?: boolean
    }
  /** The transfer is recorded for another charge. `attempts`: failed attempts before, for the reconciler. */
  | { readonly _tag: "TransferTaken"; readonly attempts: number }
  /** Another process holds the charge, or took it over first. */
  | { readonly _tag: "Overtaken" }
  | { readonly _tag: "Delivered"; readonly delivered: boolean }
  /** `isRefunded`: its refund was sent, possibly after the lease began. */
  | { readonly _tag: "Reopened"; readonly reopened: boolean; readonly isRefunded: boolean }
  | { readonly _tag: "Done" }
  | { readonly _tag: "Voided"; readonly voided: boolean }

/** The payer has bought the same with another payment, or may have. */
export interface RepeatedEvent {
  readonly _tag: "Repeated"
  readonly first: Charge
  readonly as: Repetition
}

/** A charge of the same key, and the presented payment compared with it. */
export interface FoundCharge {
  readonly charge: Charge
  readonly presented: Presented
}

export interface TakenEvent {
  readonly _tag: "Taken"
  /** Its current record, under our lease. */
  readonly charge: Charge
  readonly sameRequest: boolean
  /** The presented payment was refused: it buys nothing any more. */
  readonly isRefused?: boolean | undefined
  /** The settlement task could be decrypted. */
  readonly readable: boolean
  readonly nowMillis: number
}

/** A step was given an event that can't result from it: a defect of the code that performed it. */
export class ImpossibleTransition extends Error {
  override readonly name = "ImpossibleTransition"
  constructor(step: ChargeStep, event: ChargeEvent) {
    super(`${step._tag} can't be followed by ${event._tag}`)
  }
}
