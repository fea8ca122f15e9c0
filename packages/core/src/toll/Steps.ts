import type { Receipt } from "../domain/PaymentRequired.ts"
import type { Charge } from "../ports/Charges.ts"
import type { ChainEvidence } from "./Chain.ts"
import type { Settlement, Verification } from "./Facilitator.ts"
import type { Refusal } from "./Verdict.ts"

/*
 * The words of the machine in Transitions.ts: steps that are to be done, events that came of them, endings.
 */

/** What does not change while a charge is in one pair of hands. */
export interface Facts {
  readonly by: "call" | "reconciler"
  /** The chain of the payment can be read. */
  readonly canReadChain: boolean
  /** A facilitator's word is not enough: settlement counts when the chain shows it. */
  readonly proofRequired: boolean
  readonly validBeforeSeconds: number
}

/** How it ends for who presented the payment, or for the reconciler that found it. */
export type Ending =
  | { readonly _tag: "Paid"; readonly receipt: Receipt }
  | { readonly _tag: "Replay"; readonly charge: Charge }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }
  /** The work failed; the interpreter has its cause. */
  | { readonly _tag: "Failed" }
  | { readonly _tag: "InProgress" }
  | { readonly _tag: "Pending" }
  | { readonly _tag: "Limited" }
  /** Nothing came of the charge and nothing can any more, or it is watched until then. */
  | { readonly _tag: "Closed" }

export type Step =
  /** Look the key up. `instead`: how it ends where nothing is found; `orVoided`: nor anything but a voided charge. */
  | { readonly _tag: "Find"; readonly instead?: Ending; readonly orVoided?: boolean }
  /** Wait for whoever is at work on it. */
  | { readonly _tag: "Wait" }
  | { readonly _tag: "TakeOver" }
  /** Match the payment with what is on offer and judge it. `held`: a voided charge's lease is ours. */
  | { readonly _tag: "Judge"; readonly held: boolean }
  | { readonly _tag: "Claim"; readonly held: boolean }
  | { readonly _tag: "Verify" }
  | { readonly _tag: "Work" }
  /** Record the answer: from here on the charge is `ready`. */
  | { readonly _tag: "Record" }
  /** Have the money moved. `first`: nothing can have been sent before. */
  | { readonly _tag: "Settle"; readonly first: boolean }
  | { readonly _tag: "AskChain"; readonly question: Question }
  | { readonly _tag: "Complete"; readonly transaction: string; readonly refundDue: boolean }
  /** Set off what the settlement is for. */
  | { readonly _tag: "Apply"; readonly receipt: Receipt; readonly thenFind?: boolean }
  /** `answered`: an answer stands; it is kept for the case that the money moves, where nothing hangs on it. */
  | {
      readonly _tag: "Void"
      readonly answered: boolean
      /** The reason leaves open whether the money has moved: the chain is asked before anybody is told. */
      readonly isOpen?: boolean
      /** What was taken over with it: the caller's own request is seen to next. */
      readonly goesOn?: Watched
      readonly ending: Ending
    }
  /** Roll back what the work prepared. `whole`: also what the charge's key holds, which is ours. */
  | { readonly _tag: "Abandon"; readonly whole: boolean; readonly release: boolean; readonly ending: Ending }
  | { readonly _tag: "Release"; readonly ending: Ending }
  /** Give the lease back, the outcome still open. `thenFind`: see what others have made of it before it ends so. */
  | {
      readonly _tag: "Leave"
      readonly reason: string | undefined
      readonly thenFind?: boolean
      readonly ending: Ending
    }
  | { readonly _tag: "End"; readonly ending: Ending }

/**
 * What the chain is asked for. `Before`: whether an earlier attempt moved the money. `Proof`: whether
 * this one did, in `transaction` where one is named. `Watch`: whether a voided payment moved after all.
 * `Refusal`: whether one that was just refused, and has no answer, had moved already.
 */
export type Question =
  | { readonly _tag: "Before" }
  | { readonly _tag: "Proof"; readonly transaction: string | undefined; readonly reason: string }
  | { readonly _tag: "Watch"; readonly watched: Watched }
  | { readonly _tag: "Refusal"; readonly ending: Ending }

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
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "Limited" }
  | { readonly _tag: "Verified"; readonly verification: Verification }
  | { readonly _tag: "Worked"; readonly nowSeconds: number }
  | { readonly _tag: "WorkFailed" }
  | { readonly _tag: "Recorded"; readonly recorded: boolean }
  | { readonly _tag: "Settled"; readonly settlement: Settlement }
  | {
      readonly _tag: "Seen"
      readonly evidence: ChainEvidence
      /** When the payment was first presented, for a question that turns on it. */
      readonly firstClaimedAtMillis?: number
    }
  /** As it is recorded, by whomever. */
  | { readonly _tag: "Completed"; readonly receipt: Receipt; readonly refundDue: boolean }
  /** Somebody else has the charge in hand again, and sees for themselves. */
  | { readonly _tag: "Overtaken" }
  | { readonly _tag: "Done" }
  | { readonly _tag: "Voided"; readonly voided: boolean }

/** A machine told of an event that its step can't have: a defect of the interpreter. */
export class ImpossibleTransition extends Error {
  override readonly name = "ImpossibleTransition"
  constructor(step: Step, event: Event) {
    super(`${step._tag} can't be followed by ${event._tag}`)
  }
}
