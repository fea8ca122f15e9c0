import type { Receipt } from "../../domain/PaymentRequired.ts"
import type { Charge } from "../../ports/Charges.ts"
import type { ChainEvidence } from "../evidence/Chain.ts"
import type { Settlement, Verification } from "../facilitator/Facilitator.ts"
import type { Work } from "../TollRequest.ts"
import type { Refusal } from "../Verdict.ts"
import type { Presented } from "./ReplayDecision.ts"
import type { PayableTask } from "./SettlementTask.ts"

/*
 * The vocabulary of ChargeMachine.ts: steps to perform, events that result from them, and endings.
 *
 * Methods of the `Charges` store by step: `Find` find; `TakeOver` takeOver; `Claim` claim; `Record` advance; `Deliver`
 * deliver; `Complete` complete; `Apply` markApplied; `Void` void; `DeleteCharge` release; `Finalize` finalize; `Reopen`
 * reopen; `MarkRefundDue` markRefundDue; `EndLease` yieldLease; `Defer` defer, in a call yieldLease.
 */

/** Facts about a charge that don't change while one process holds its lease. */
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
  /** The reconciler has nothing to report: the charge is released, watched, or held by another process. */
  | { readonly _tag: "Closed" }

export interface EndStep {
  readonly _tag: "End"
  readonly ending: Ending
}

/**
 * What a call knows about its payment's key before it claims it. `free`: no charge has it. `held`: the call holds the
 * lease of its voided charge.
 */
export type KeyState = "free" | "held"

/** Steps that serve the request of a call. The reconciler has no request and never performs them. */
export type RequestStep =
  /** Look the key up. `instead`: the ending if nothing is found; with `orVoided` also if only a voided charge is. */
  | { readonly _tag: "Find"; readonly instead?: Ending; readonly orVoided?: boolean }
  /** Wait for the process or call that holds the charge. */
  | { readonly _tag: "Wait" }
  /** `isUnsettled`: no settlement has begun, or it was refused. */
  | { readonly _tag: "TakeOver"; readonly isUnsettled?: true }
  /** Match the payment with the offers and judge it. */
  | { readonly _tag: "Judge"; readonly key: KeyState }
  /** Have the facilitator verify the payment. Nothing is written before this. */
  | { readonly _tag: "Verify"; readonly key: KeyState; readonly task: PayableTask }
  | { readonly _tag: "Claim"; readonly key: KeyState; readonly task: PayableTask }
  /** Wait until other calls of the payer have ended, then claim. */
  | { readonly _tag: "Queue"; readonly key: KeyState; readonly task: PayableTask }
  /** Check that the payer's balance covers all their open payments. */
  | { readonly _tag: "CheckFunds"; readonly task: PayableTask; readonly claimedAtMillis: number }
  /** `paid`: the payment has settled already. */
  | { readonly _tag: "Work"; readonly paid?: PaidFirst }
  /** Record the work, or without it that the payment is about to settle: from here on the charge is `ready`. */
  | { readonly _tag: "Record"; readonly work?: Work }
  /** Record the work of a payment that settled first. */
  | { readonly _tag: "Deliver"; readonly paid: PaidFirst; readonly work: Work }

/**
 * Steps under the lease of a charge, which calls and the reconciler share.
 *
 * Most leases end by one of these four. What each does to the charge:
 *
 * - `EndLease`: nothing. The next process may take it over at once.
 * - `Defer`: changes no payment data; the outcome stays open. In the reconciler it also counts a failed attempt and
 *   sets the next check.
 * - `RollBack`: undoes what the work prepared, such as an order. The charge stays, usually voided by the step before.
 * - `DeleteCharge`: deletes it, since its payment can't move any more. Follows a `RollBack` with `thenDelete`.
 */
export type SettlementStep =
  /** Moves the money. `first`: no earlier attempt can have sent anything. */
  | { readonly _tag: "Settle"; readonly first: boolean }
  | { readonly _tag: "QueryChain"; readonly query: ChainQuery }
  | {
      readonly _tag: "Complete"
      readonly transaction: string
      /** Log index of the transfer that proves it; `undefined`: only the facilitator reported it. */
      readonly proof: Proof | undefined
      readonly refundDue: boolean
      /** Its refund was sent before a reorganization undid its settlement: it is neither applied nor voided. */
      readonly isRefunded?: true
    }
  /** Apply the settlement's effect. `endsLease`: end the lease, so that the reconciler can check the proof again. */
  | { readonly _tag: "Apply"; readonly receipt: Receipt; readonly thenFind?: true; readonly endsLease?: true }
  /** `keepsExposure`: work was done that the payer did not pay for; it counts until the payment can't move any more. */
  | {
      readonly _tag: "Void"
      readonly keepsExposure: boolean
      /** The charge of another call was taken over: the request at hand is handled next. */
      readonly resumes?: Watched
      /** The money may have moved: the chain is queried before the caller is refused. */
      readonly isOpen?: boolean
      readonly ending: Ending
    }
  /**
   * Undo what the work prepared. `whole`: everything prepared under the charge's key. Else only this call's own
   * subject, because another process holds the key.
   */
  | {
      readonly _tag: "RollBack"
      readonly whole: boolean
      /** The payment can't move any more: the charge is deleted next. */
      readonly thenDelete: boolean
      /** As in `Apply`. */
      readonly endsLease?: true
      /** Look the charge up again before this ending: a copy of the payment may have been accepted meanwhile. */
      readonly thenFind?: true
      readonly ending: Ending
    }
  /** Delete the charge, and its lease with it. */
  | { readonly _tag: "DeleteCharge"; readonly ending: Ending }
  /** The proof of a settlement is final. */
  | { readonly _tag: "Finalize" }
  /** A reorganization undid the settlement. */
  | { readonly _tag: "Reopen"; readonly next: Reopened }
  /** The response was owed for too long: the payment is refunded, unless another process has the charge by now. */
  | { readonly _tag: "MarkRefundDue" }
  /** Ends the lease. Leaves `attempts` and `checkAfterMillis` unchanged. */
  | { readonly _tag: "EndLease"; readonly ending: Ending }
  /**
   * Ends the lease while the outcome is still open. `reason`: why it is unknown, for the log; `undefined`: nothing went
   * wrong. `thenFind`: look the charge up again before this ending.
   */
  | {
      readonly _tag: "Defer"
      readonly reason: string | undefined
      readonly nextCheck: NextCheck
      readonly thenFind?: true
      readonly ending: Ending
    }

/**
 * When the reconciler checks a deferred charge again: with backoff, or not before its payment can't move any more. A
 * call leaves that time unchanged.
 */
export type NextCheck = "backoff" | "expiry"

export type ChargeStep = RequestStep | SettlementStep | EndStep

/** Where a call continues after the steps of a settlement: look up again, serve its request, or do paid work. */
export type ResumeStep =
  | Extract<RequestStep, { readonly _tag: "Find" | "Judge" }>
  | { readonly _tag: "Work"; readonly paid: PaidFirst }

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
}

/**
 * A query of the chain. `Before`: whether an earlier attempt moved the money. `Proof`: whether this one did, in
 * `transaction` if one is known. `Watch`: whether a voided payment moved after all. `Refusal`: whether a payment
 * that is about to be refused had moved already. `Finality`: whether the chain still has the transfer that settled
 * the charge; for a refunded charge that was reopened, which transfer moved it.
 */
export type ChainQuery =
  | { readonly _tag: "Before" }
  | { readonly _tag: "Proof"; readonly transaction: string | undefined; readonly reason: string }
  | { readonly _tag: "Watch"; readonly watched: Watched }
  | { readonly _tag: "Refusal"; readonly ending: Ending }
  | { readonly _tag: "Finality"; readonly charge: Charge }

/** Why a charge is reopened: its payment moved in another transaction, hasn't moved, or never will. */
export type Reopened =
  | {
      readonly _tag: "Moved"
      readonly transaction: string
      readonly proof: Proof
      readonly refundDue: boolean
    }
  /** `isVoided`: it was refused before it moved, and has no response; it is watched again. */
  | { readonly _tag: "NotMoved"; readonly isVoided: boolean }
  | { readonly _tag: "NotPaid" }

/** A charge found by its own payment, for which nothing is due as far as known. */
export interface Watched {
  readonly charge: Charge
  /** It was made for the request at hand; always true for the reconciler, which has none. */
  readonly sameRequest: boolean
  /** The payment at hand was refused: it buys nothing any more. */
  readonly isRefused?: boolean | undefined
}

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
  | { readonly _tag: "Funded"; readonly isCovered: boolean }
  | { readonly _tag: "Worked"; readonly work: Work; readonly nowSeconds: number }
  /** `refusal`: the payment doesn't buy this work after all. */
  | { readonly _tag: "WorkFailed"; readonly refusal?: Refusal | undefined }
  | { readonly _tag: "Recorded"; readonly recorded: boolean }
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

/** A charge of the same key, and the payment at hand compared with it. */
export interface FoundCharge {
  readonly charge: Charge
  readonly presented: Presented
}

export interface TakenEvent {
  readonly _tag: "Taken"
  /** Its current record, under our lease. */
  readonly charge: Charge
  readonly sameRequest: boolean
  /** As in {@link Watched}. */
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
