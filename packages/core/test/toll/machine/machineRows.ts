import { expect } from "vitest"
import type { Charge, ChargeState } from "../../../src/ports/Charges.ts"
import { asClaimed, lease } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleResponse, sampleCharge, sampleReceipt } from "../../../../testing/src/stores/records.ts"
import type {
  Ending,
  ChargeEvent,
  ChargeFacts,
  EndStep,
  NextCheck,
  PaidFirst,
  Plan,
  Proof,
  ChargeStep
} from "../../../src/toll/machine/ChargeStep.ts"
import type { PayableTask } from "../../../src/toll/machine/SettlementTask.ts"
import type { Work } from "../../../src/toll/request/TollRequest.ts"

/*
 * Plans and endings for tables of the charge machine. Written out rather than imported: a table made of the code that it
 * checks would agree with any change.
 */

export const nowMillis = 500_000
export const validBeforeSeconds = 1_000
export const finalitySeconds = 60
export const receipt = sampleReceipt()
export const paid: PaidFirst = { receipt, untilMillis: nowMillis + 1, isProvisional: false }
export const proof: Proof = { logIndex: 3, isFinal: true }

/** What settling takes. The machine passes it on and never reads it. */
export const task: PayableTask = {
  network: "eip155:84532",
  authorization: {
    from: "0x857b06519E91e3A54538791bDbb0E22373e36b66",
    to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    value: "10000",
    validAfter: "0",
    validBefore: String(validBeforeSeconds),
    nonce: "0x01"
  },
  proofRequired: true,
  request: {
    x402Version: 2,
    payload: { transaction: "" },
    requirements: {
      scheme: "exact",
      network: "eip155:84532",
      amount: "10000",
      asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
      payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
      maxTimeoutSeconds: 300,
      extra: {}
    },
    resource: { url: "https://shop.example/x402/search", description: "", mimeType: "application/json" }
  }
}
/** What the work of a call produced. The machine passes it on as well. */
export const product: Work = {
  response: { status: 200, contentType: "text/plain", body: { _tag: "Text", text: "done" } }
}

export const call: ChargeFacts = {
  by: "call",
  canReadChain: true,
  proofRequired: true,
  workIsDue: false,
  validBeforeSeconds,
  finalitySeconds
}
export const reconciler: ChargeFacts = { ...call, by: "reconciler" }
export const blind = { canReadChain: false }
export const workDue = { workIsDue: true }

export const chargeIn = (state: ChargeState, changes: Partial<Charge> = {}): Charge => ({
  ...asClaimed(sampleCharge({ validBeforeSeconds, createdAtMillis: 400_000 }), lease("another", 0)),
  state,
  response: state === "ready" || state === "settled" ? sampleResponse() : undefined,
  transferLogIndex: state === "settled" ? 3 : undefined,
  receipt: state === "settled" ? receipt : undefined,
  settledAtMillis: state === "settled" ? 450_000 : undefined,
  ...changes
})

/** A refusal with this code and any message. */
export const refused = (code: string): Ending => ({
  _tag: "Refused",
  refusal: { code, message: expect.stringMatching(/\w/) as string }
})

export const end = (ending: Ending): Plan<EndStep> => [{ _tag: "End", ending }]
export const closed: Ending = { _tag: "Closed" }
export const pending: Ending = { _tag: "Pending" }
export const failed: Ending = { _tag: "Failed" }
export const unverifiable: Ending = { _tag: "Unverifiable" }
export const inProgress: Ending = { _tag: "InProgress" }
export const limited: Ending = { _tag: "Limited" }
export const find: Plan = [{ _tag: "Find" }]
export const waitAndFind: Plan = [{ _tag: "Wait" }, { _tag: "Find" }]
export const work: Plan = [{ _tag: "Work" }]
export const paidWork: Plan = [{ _tag: "Work", paid }]
/** The work of a settlement whose proof is checked again. */
export const provisionalWork: Plan = [{ _tag: "Work", paid: { ...paid, isProvisional: true } }]
export const settleFirst: Plan = [{ _tag: "Advance" }, { _tag: "Settle", first: true }]
export const checkFunds: ChargeStep = { _tag: "CheckFunds", task, claimedAtMillis: nowMillis }
export const settleAgain: Plan = [{ _tag: "Settle", first: false }]

/** Left open for a reason that goes to the log. */
export const deferredUnknown = (reason?: string): Plan => [
  { _tag: "Defer", reason: reason ?? (expect.stringMatching(/\w/) as string), nextCheck: "backoff" },
  ...end(pending)
]
export const deferred = (ending: Ending, nextCheck: NextCheck = "expiry"): Plan => [
  { _tag: "Defer", reason: undefined, nextCheck },
  ...end(ending)
]
export const left = (ending: Ending): Plan => [{ _tag: "YieldLease" }, ...end(ending)]
export const rolledBack = (ending: Ending): Plan => [{ _tag: "RollBack", whole: true }, ...end(ending)]
export const deleted = (ending: Ending): Plan => [
  { _tag: "RollBack", whole: true },
  { _tag: "Release" },
  ...end(ending)
]
/** Refused unless a copy of the payment was accepted meanwhile. */
export const refusedUnlessCopied = (expects: "nothing" | "voided", ending: Ending): Plan => [
  { _tag: "FindCopy", expects },
  ...end(ending)
]
/** Rolled back for a caller who reads that nothing was charged. */
export const gaveUp = (ending: Ending): Plan => [
  { _tag: "RollBack", whole: true },
  ...refusedUnlessCopied("voided", ending)
]
/** Left for a caller who reads that nothing was charged. */
export const refusedHeld = (ending: Ending): Plan => [
  { _tag: "Defer", reason: undefined, nextCheck: "expiry" },
  ...refusedUnlessCopied("voided", ending)
]
export const voided = (worked: boolean, ending: Ending): Plan =>
  ending._tag === "Refused"
    ? [{ _tag: "Void", keepsExposure: worked, isRefused: true }, ...gaveUp(ending)]
    : [{ _tag: "Void", keepsExposure: worked, isRefused: false }, ...rolledBack(ending)]

export type Row = readonly [what: string, facts: ChargeFacts, plan: Plan, event: ChargeEvent, next: Plan]
