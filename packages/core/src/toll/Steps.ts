import type { Receipt } from "../domain/PaymentRequired.ts"
import type { Charge } from "../ports/Charges.ts"
import type { ChainEvidence } from "./Chain.ts"
import type { Settlement, Verification } from "./Facilitator.ts"
import type { Refusal } from "./Verdict.ts"

/*
 * The words of the machine in Transitions.ts: steps that are to be done, events that came of them, endings.
 */

/** Facts about a charge that do not change while one process holds its lease. */
export interface Facts {
  readonly by: "call" | "reconciler"
  /** The chain of the payment can be read. */
  readonly canReadChain: boolean
  /** The facilitator's response is not enough: a settlement counts when the chain shows it. */
  readonly proofRequired: boolean
  /** The payment settles before the work, and the work is still to be done. */
  readonly settlesFirst: boolean
  /** Its refund was sent, and a reorganization then undid its settlement: it is neither settled again nor voided. */
  readonly isRefunded: boolean
  readonly validBeforeSeconds: number
  /**
   * When the payment was first presented, if the facilitator did not verify it then: its nonce may have been used before,
   * and a transfer from before buys nothing here.
   */
  readonly unverifiedSinceMillis: number
  /** Chain time after `validBeforeSeconds` in which a reorganization could still include the transfer. */
  readonly finalitySeconds: number
}

/** How it ends for who presented the payment, or for the reconciler that found it. */
export type Ending =
  | { readonly _tag: "Paid"; readonly receipt: Receipt }
  | { readonly _tag: "Replay"; readonly charge: Charge }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }
  /** The work failed; the interpreter has its cause. Nothing is charged. */
  | { readonly _tag: "Failed" }
  /** The payment settled and then the work failed: the response is owed until then. */
  | { readonly _tag: "Owed"; readonly receipt: Receipt; readonly untilMillis: number }
  | { readonly _tag: "InProgress" }
  | { readonly _tag: "Pending" }
  | { readonly _tag: "Limited" }
  /** Nothing came of the charge and nothing can any more, or it is watched until then. */
  | { readonly _tag: "Closed" }

export type Step =
  /** Look the key up. `instead`: how it ends where nothing is found; `orVoided`: nor anything but a voided charge. */
  | { readonly _tag: "Find"; readonly instead?: Ending; readonly orVoided?: boolean }
  /** Wait for the process or call that works on it. */
  | { readonly _tag: "Wait" }
  | { readonly _tag: "TakeOver" }
  /** Match the payment with the offers and judge it. `held`: a voided charge's lease is ours. */
  | { readonly _tag: "Judge"; readonly held: boolean }
  /** Have the facilitator verify the payment. Nothing is written before this. */
  | { readonly _tag: "Verify"; readonly held: boolean }
  | { readonly _tag: "Claim"; readonly held: boolean }
  /** Wait until other calls of the payer have ended, then claim. */
  | { readonly _tag: "Queue"; readonly held: boolean }
  /** Check that the payer's balance covers all their open payments. */
  | { readonly _tag: "CheckFunds" }
  /** `paid`: the payment has settled already. */
  | { readonly _tag: "Work"; readonly paid?: PaidFirst }
  /** Record the response, or that the payment is about to settle: from here on the charge is `ready`. */
  | { readonly _tag: "Record" }
  /** Have the money moved. `first`: nothing can have been sent before. */
  | { readonly _tag: "Settle"; readonly first: boolean }
  | { readonly _tag: "AskChain"; readonly question: Question }
  | {
      readonly _tag: "Complete"
      readonly transaction: string
      /** Of the transfer that proves it; `undefined`: only the facilitator reported it. */
      readonly proof: Proof | undefined
      readonly refundDue: boolean
    }
  /** Record the response of a payment that settled first. */
  | { readonly _tag: "Deliver"; readonly paid: PaidFirst }
  /** Apply the settlement's effect. */
  | { readonly _tag: "Apply"; readonly receipt: Receipt; readonly thenFind?: boolean }
  /** `worked`: work was done that the payer did not pay for. */
  | {
      readonly _tag: "Void"
      readonly worked: boolean
      /** It was taken over: the caller's own request is handled next. */
      readonly goesOn?: Watched
      /** The money may have moved: the chain is queried before the caller is refused. */
      readonly isOpen?: boolean
      readonly ending: Ending
    }
  /** Roll back what the work prepared. `whole`: also what the charge's key holds, which is ours. */
  | { readonly _tag: "Abandon"; readonly whole: boolean; readonly release: boolean; readonly ending: Ending }
  | { readonly _tag: "Release"; readonly ending: Ending }
  /** The proof of a settlement is final. */
  | { readonly _tag: "Finalize" }
  /** A reorganization undid the settlement. */
  | { readonly _tag: "Reopen"; readonly next: Reopened }
  /** The response was owed for too long: the payment is refunded. */
  | { readonly _tag: "OweRefund" }
  /** Give the lease back. Leaves `attempts` and `checkAfterMillis` unchanged. */
  | { readonly _tag: "Yield"; readonly ending: Ending }
  /** Give the lease back, the outcome still open. `thenFind`: look once more before it ends so. */
  | {
      readonly _tag: "Leave"
      readonly reason: string | undefined
      readonly thenFind?: boolean
      readonly ending: Ending
    }
  | { readonly _tag: "End"; readonly ending: Ending }

/** The transfer that proves a settlement, by its index in the block's log. */
export interface Proof {
  readonly logIndex: number
  /** No reorganization is expected to undo it. */
  readonly isFinal: boolean
}

/** A payment that settled before its work. */
export interface PaidFirst {
  readonly receipt: Receipt
  /** Until when the response is owed; then a refund is. */
  readonly untilMillis: number
}

/**
 * A question to the chain. `Before`: whether an earlier attempt moved the money. `Proof`: whether
 * this one did, in `transaction` where one is named. `Watch`: whether a voided payment moved after all.
 * `Refusal`: whether one that is about to be refused had moved already. `Finality`: whether the transfer that settled
 * it still stands; of a refunded charge that was reopened, which transfer moved it.
 */
export type Question =
  | { readonly _tag: "Before" }
  | { readonly _tag: "Proof"; readonly transaction: string | undefined; readonly reason: string }
  | { readonly _tag: "Watch"; readonly watched: Watched }
  | { readonly _tag: "Refusal"; readonly ending: Ending }
  | { readonly _tag: "Finality"; readonly charge: Charge }

/** What follows the reopening of a charge: it moved in another transaction, not at all, or never will. */
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

/** A charge for which nothing is due, as far as is known, met by the payment that it is of. */
export interface Watched {
  readonly charge: Charge
  /** It was made for the request at hand; always so for the reconciler, who has none. */
  readonly sameRequest: boolean
}

export interface Presented {
  readonly payloadDigest: string
  readonly sameRequest: boolean
  readonly proven?: boolean
  readonly replayableUntilMillis: number
}

export type Event =
  | {
      readonly _tag: "Found"
      readonly charge: Charge | undefined
      readonly presented: Presented | undefined
      /** The caller can be kept waiting a little longer. */
      readonly patient: boolean
      readonly nowMillis: number
    }
  | { readonly _tag: "Waited" }
  /** Asked for again too often for now. */
  | { readonly _tag: "Exhausted" }
  | {
      readonly _tag: "Taken"
      /** As it is now, its lease ours; `undefined`: somebody else was first. */
      readonly charge: Charge | undefined
      readonly sameRequest: boolean
      /** What settling needs could be read. */
      readonly readable: boolean
      readonly nowMillis: number
    }
  | { readonly _tag: "Judged"; readonly refusal: Refusal | undefined }
  | { readonly _tag: "Verified"; readonly verification: Verification }
  /** Another call of this process verifies the same payment. */
  | { readonly _tag: "Busy"; readonly patient: boolean }
  | { readonly _tag: "Claimed" }
  /** A limit is reached. `patient`: the call can wait for room. */
  | { readonly _tag: "Limited"; readonly patient: boolean }
  | { readonly _tag: "Funded"; readonly isCovered: boolean }
  | { readonly _tag: "Worked"; readonly nowSeconds: number }
  | { readonly _tag: "WorkFailed" }
  | { readonly _tag: "Recorded"; readonly recorded: boolean }
  | { readonly _tag: "Settled"; readonly settlement: Settlement }
  | { readonly _tag: "Seen"; readonly evidence: ChainEvidence }
  /** As it is recorded, by this process or another. */
  | {
      readonly _tag: "Completed"
      readonly receipt: Receipt
      readonly refundDue: boolean
      /** The response is owed until then. */
      readonly owedUntilMillis?: number | undefined
    }
  /** The transfer is recorded for another charge. `attempts`: how often that was so before, for the reconciler. */
  | { readonly _tag: "TransferTaken"; readonly attempts: number }
  /** Another process holds the charge again. */
  | { readonly _tag: "Overtaken" }
  | { readonly _tag: "Delivered"; readonly delivered: boolean }
  | { readonly _tag: "Reopened"; readonly reopened: boolean }
  | { readonly _tag: "Done" }
  | { readonly _tag: "Voided"; readonly voided: boolean }

/** A machine told of an event that its step can't have: a defect of the interpreter. */
export class ImpossibleTransition extends Error {
  override readonly name = "ImpossibleTransition"
  constructor(step: Step, event: Event) {
    super(`${step._tag} can't be followed by ${event._tag}`)
  }
}
