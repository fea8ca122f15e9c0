import type { ChainEvidence } from "../evidence/Chain.ts"
import { otherRequest, sentBack } from "./ReplayDecision.ts"
import type {
  ChargeFacts,
  Ending,
  EndStep,
  NextCheck,
  ResumeStep,
  SettlementStep,
  Watched
} from "./ChargeStep.ts"

/*
 * Steps and endings that several transitions of a charge share.
 */

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
export const findAgain: ResumeStep = { _tag: "Find" }
export const judgeHeld: ResumeStep = { _tag: "Judge", key: "held" }
export const firstSettle: SettlementStep = { _tag: "Settle", first: true }
export const settleAgain: SettlementStep = { _tag: "Settle", first: false }

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

/** Undoes the work and, with `thenDelete`, deletes the charge. */
export const rollBack = (ending: Ending, thenDelete: boolean): SettlementStep => ({
  _tag: "RollBack",
  whole: true,
  thenDelete,
  ending
})

/**
 * Undoes the work of a voided charge. A refusal states that nothing was charged, so the caller gets it only if no copy
 * of the payment has been accepted since.
 */
export const giveUp = (facts: ChargeFacts, ending: Ending): SettlementStep =>
  facts.by === "call" && ending._tag === "Refused"
    ? { _tag: "RollBack", whole: true, thenDelete: false, thenFind: true, ending }
    : rollBack(ending, false)

/** Defers a charge whose outcome is unknown, for a reason that is logged. */
export const deferUnknown = (reason: string): SettlementStep => ({
  _tag: "Defer",
  reason,
  nextCheck: "backoff",
  ending: pending
})

/**
 * Resumes a call that holds a voided charge whose payment hasn't moved. If the payment was refused, its caller gets the
 * refusal only if no copy of the payment has been accepted since.
 */
export const resume = ({ isRefused = false }: Pick<Watched, "isRefused">): SettlementStep | ResumeStep =>
  isRefused
    ? { _tag: "Defer", reason: undefined, nextCheck: "expiry", thenFind: true, ending: refusedBefore }
    : judgeHeld

/** Defers a charge, with nothing to report. */
export const defer = (ending: Ending, nextCheck: NextCheck = "expiry"): SettlementStep => ({
  _tag: "Defer",
  reason: undefined,
  nextCheck,
  ending
})

/**
 * Settles a payment again that may have settled before; its nonce makes that safe. Not if the work would follow and no
 * call waits for it: such a payment is checked again at `nextCheck`.
 */
export const settleUnlessUnwanted = (facts: ChargeFacts, nextCheck: NextCheck): SettlementStep =>
  facts.workIsDue && facts.by === "reconciler" && facts.canReadChain ? defer(closed, nextCheck) : settleAgain
