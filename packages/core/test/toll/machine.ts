import { expect } from "vitest"
import type { Charge, ChargeState } from "../../src/ports/Charges.ts"
import { asClaimed, lease } from "../../src/testing/stores/chargeRecords.ts"
import { sampleAnswer, sampleCharge, sampleReceipt } from "../../src/testing/stores/records.ts"
import type { Ending, Event, Facts, Proof, Step } from "../../src/toll/Steps.ts"

/*
 * Words for tests of the charge machine that list what each step leads to. Written out here, and not taken from the
 * machine: a table that is made of what it checks agrees with everything.
 */

export const nowMillis = 500_000
export const validBeforeSeconds = 1_000
export const finalitySeconds = 60
export const receipt = sampleReceipt()
export const paid = { receipt, untilMillis: nowMillis + 1 }
export const proof: Proof = { logIndex: 3, isFinal: true }

export const call: Facts = {
  by: "call",
  canReadChain: true,
  proofRequired: true,
  settlesFirst: false,
  isRefunded: false,
  validBeforeSeconds,
  unverifiedSinceMillis: 0,
  finalitySeconds
}
export const reconciler: Facts = { ...call, by: "reconciler" }
export const blind = { canReadChain: false }
export const first = { settlesFirst: true }

export const chargeIn = (state: ChargeState, changes: Partial<Charge> = {}): Charge => ({
  ...asClaimed(sampleCharge({ validBeforeSeconds, createdAtMillis: 400_000 }), lease("another", 0)),
  state,
  unverifiedSinceMillis: 400_000,
  answer: state === "ready" || state === "settled" ? sampleAnswer() : undefined,
  transferLogIndex: state === "settled" ? 3 : undefined,
  receipt: state === "settled" ? receipt : undefined,
  settledAtMillis: state === "settled" ? 450_000 : undefined,
  ...changes
})

/** A refusal with this code; what it says is for people. */
export const refused = (code: string): Ending => ({
  _tag: "Refused",
  refusal: { code, message: expect.stringMatching(/\w/) as string }
})

export const end = (ending: Ending): Step => ({ _tag: "End", ending })
export const closed: Ending = { _tag: "Closed" }
export const pending: Ending = { _tag: "Pending" }
export const failed: Ending = { _tag: "Failed" }
export const inProgress: Ending = { _tag: "InProgress" }
export const limited: Ending = { _tag: "Limited" }
export const find: Step = { _tag: "Find" }
export const settleAgain: Step = { _tag: "Settle", first: false }

/** Left open for a reason that goes to the log. */
export const leftOpen = (reason?: string): Step => ({
  _tag: "Leave",
  reason: reason ?? (expect.stringMatching(/\w/) as string),
  ending: pending
})
export const left = (ending: Ending): Step => ({ _tag: "Leave", reason: undefined, ending })
export const voided = (worked: boolean, ending: Ending): Step => ({ _tag: "Void", worked, ending })
export const abandoned = (ending: Ending, release: boolean): Step => ({
  _tag: "Abandon",
  whole: true,
  release,
  ending
})

export type Row = readonly [what: string, facts: Facts, step: Step, event: Event, next: Step]
