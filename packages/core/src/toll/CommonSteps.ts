import type { ChainEvidence } from "./Chain.ts"
import { otherRequest, sentBack } from "./Resume.ts"
import type { Ending, Facts, Step } from "./Steps.ts"

/*
 * Steps and endings that several transitions of a charge lead to.
 */

export const end = (ending: Ending): Step => ({ _tag: "End", ending })
export const refused = (code: string, message: string): Ending => ({
  _tag: "Refused",
  refusal: { code, message }
})
export const inProgress: Ending = { _tag: "InProgress" }
export const pending: Ending = { _tag: "Pending" }
export const closed: Ending = { _tag: "Closed" }
export const failed: Ending = { _tag: "Failed" }
export const judge: Step = { _tag: "Judge", held: false }
export const judgeHeld: Step = { _tag: "Judge", held: true }
export const takeOver: Step = { _tag: "TakeOver" }
export const firstSettle: Step = { _tag: "Settle", first: true }
export const settleAgain: Step = { _tag: "Settle", first: false }
export const work: Step = { _tag: "Work" }
export const record: Step = { _tag: "Record" }

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

export const unfunded = refused(
  "insufficient_funds",
  "the payer's balance doesn't cover all their open payments; nothing was charged, top up or retry when they have settled"
)

export const transferTaken = refused(
  "payment_already_used",
  "the transfer of this payment has paid for another one; nothing was charged, sign a new payment"
)

export const notPaid = (evidence: Extract<ChainEvidence, { _tag: "NotPaid" }>): Ending =>
  evidence.reason === "canceled" ? canceled : usedOtherwise

export const abandon = (ending: Ending, release: boolean): Step => ({
  _tag: "Abandon",
  whole: true,
  release,
  ending
})

export const leave = (reason: string): Step => ({ _tag: "Leave", reason, ending: pending })

/**
 * Has a payment settled again that may have settled before; its nonce makes that safe. Not where the work would follow
 * and no call waits for it: such a payment is left until it has moved or expired.
 */
export const settleUnlessUnwanted = (facts: Facts): Step =>
  facts.settlesFirst && facts.by === "reconciler" && facts.canReadChain
    ? { _tag: "Leave", reason: undefined, ending: closed }
    : settleAgain
