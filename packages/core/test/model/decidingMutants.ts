import type { ChargeStep, Ending } from "../../src/toll/machine/ChargeStep.ts"
import { refundIsDue } from "../../src/toll/machine/SettlementMachine.ts"
import { decidesStep, isEvent, type Mutant } from "./Mutant.ts"

/*
 * Mutants that decide a step otherwise.
 */

const end = (ending: Ending): ChargeStep => ({ _tag: "End", ending })
const closed: Ending = { _tag: "Closed" }
const failed: Ending = { _tag: "Failed" }
export const decidingMutants: ReadonlyArray<Mutant> = [
  {
    name: "works before it claims",
    noticedBy: "one call",
    decides: decidesStep("Claim", () => ({ _tag: "Work" }))
  },
  {
    name: "settles without a record",
    noticedBy: "one call, blind",
    decides: decidesStep("Record", () => ({ _tag: "Settle", first: true }))
  },
  {
    name: "records no response",
    noticedBy: "one call",
    decides: decidesStep("Record", () => ({ _tag: "Record" }))
  },
  {
    name: "serves without settling",
    noticedBy: "one call",
    decides: (decided, given) =>
      decided._tag === "Settle" && given.event._tag === "Recorded"
        ? end({ _tag: "Paid", receipt: { success: true, transaction: "", network: "", payer: "" } })
        : decided
  },
  {
    name: "works after a failed charge of funds",
    noticedBy: "twice, settles first",
    decides: (decided, given) => (given.event._tag === "Funded" ? { _tag: "Work" } : decided)
  },
  {
    name: "settles again without a search",
    survives: "the nonce makes another settlement safe; the search saves a call to the facilitator",
    decides: decidesStep("QueryChain", (step) =>
      step.query._tag === "Before" ? { _tag: "Settle", first: false } : step
    )
  },
  {
    name: "doesn't ask for the proof",
    noticedBy: "calm, proof, order",
    decides: decidesStep("QueryChain", (step, { facts: { by } }) =>
      step.query._tag === "Proof" ? end(by === "call" ? { _tag: "Pending" } : closed) : step
    )
  },
  {
    name: "doesn't watch what was voided",
    noticedBy: "lies, lag",
    decides: decidesStep("QueryChain", (step) =>
      step.query._tag === "Watch" ? { _tag: "DeleteCharge", ending: closed } : step
    )
  },
  {
    name: "doesn't query the chain before a refusal",
    survives:
      "the charge stays voided and is watched: if its money moved, it is refunded, though its caller read that it wasn't charged",
    decides: decidesStep("QueryChain", (step) =>
      step.query._tag === "Refusal" ? end(step.query.ending) : step
    )
  },
  {
    name: "a settlement is final without a second look",
    noticedBy: "reorganization",
    decides: decidesStep("QueryChain", (step) =>
      step.query._tag === "Finality" ? { _tag: "Finalize" } : step
    )
  },
  {
    name: "never refunds",
    noticedBy: "lies, lag",
    decides: decidesStep("Complete", (step) => ({ ...step, refundDue: false }))
  },
  {
    name: "always refunds",
    noticedBy: "calm",
    decides: decidesStep("Complete", (step) => ({ ...step, refundDue: true }))
  },
  {
    name: "forgets the proof",
    noticedBy: "reorganization",
    decides: decidesStep("Complete", (step) => ({ ...step, proof: undefined }))
  },
  {
    name: "skips Apply",
    noticedBy: "one call, proof, order",
    decides: decidesStep("Apply", () => end(closed))
  },
  {
    name: "skips Void",
    noticedBy: "one call",
    decides: decidesStep("Void", ({ ending }, { facts: { by } }) => end(by === "call" ? ending : closed))
  },
  {
    name: "doesn't void what another may still use",
    noticedBy: "one call",
    decides: decidesStep("Void", (step, { event }) =>
      event._tag === "Taken" ? { _tag: "EndLease", ending: step.ending } : step
    )
  },
  {
    name: "deletes whatever it rolls back",
    noticedBy: "lies, lag",
    decides: decidesStep("RollBack", (step) => ({ _tag: "DeleteCharge", ending: step.ending }))
  },
  {
    name: "skips RollBack",
    noticedBy: "one call, proof, order",
    decides: decidesStep("RollBack", ({ ending }) => end(ending))
  },
  {
    name: "skips the last look before a refusal",
    noticedBy: "two copies",
    decides: decidesStep("Find", (step) => (step.instead === undefined ? step : end(step.instead)))
  },
  {
    name: "deletes without a rollback's delay",
    noticedBy: "lies, lag",
    decides: decidesStep("Defer", (step) => ({ _tag: "DeleteCharge", ending: step.ending }))
  },
  {
    name: "skips DeleteCharge",
    noticedBy: "one call, proof, order",
    decides: decidesStep("DeleteCharge", ({ ending }) => end(ending))
  },
  { name: "skips Finalize", noticedBy: "one call", decides: decidesStep("Finalize", () => end(closed)) },
  {
    name: "skips Reopen",
    noticedBy: "reorganization",
    decides: decidesStep("Reopen", () => ({ _tag: "Finalize" }))
  },
  {
    name: "reopens nothing",
    noticedBy: "reorganization",
    decides: decidesStep("Reopen", () => ({ _tag: "EndLease", ending: closed }))
  },
  {
    name: "never marks a refund as due",
    noticedBy: "one call, settles first",
    decides: decidesStep("MarkRefundDue", () => ({ _tag: "EndLease", ending: closed }))
  },
  {
    name: "marks a refund as due too early",
    survives:
      "the payment is refunded, though its response was still owed: no money is lost, and no world counts lost sales",
    decides: decidesStep("EndLease", (step, { facts: { by } }) =>
      by === "reconciler" ? { _tag: "MarkRefundDue" } : step
    )
  },
  {
    name: "says by its clock that a refund is due",
    noticedBy: "two copies, settles first",
    decides: (decided, { event }) => {
      if (!isEvent(event, "Found") || event.found === undefined) return decided
      const { responseOwedUntilMillis = Infinity } = event.found.charge
      return responseOwedUntilMillis <= event.nowMillis ? end(refundIsDue) : decided
    }
  },
  {
    name: "refuses what was refused before without another look",
    noticedBy: "another signature",
    decides: decidesStep("Defer", ({ _tag, ending, nextCheck, reason }) => ({
      _tag,
      ending,
      nextCheck,
      reason
    }))
  },
  {
    name: "doesn't deliver what was paid first",
    noticedBy: "one call, settles first",
    decides: decidesStep("Deliver", ({ paid: { receipt } }) => end({ _tag: "Paid", receipt }))
  },
  {
    name: "replays what isn't settled",
    noticedBy: "one call",
    decides: (decided, { event }) =>
      isEvent(event, "Found") && event.found?.charge.response !== undefined
        ? end({ _tag: "Replay", charge: event.found.charge })
        : decided
  },
  {
    name: "says that nothing was charged while the outcome is open",
    noticedBy: "one call",
    decides: (decided) =>
      decided._tag === "End" && decided.ending._tag === "Pending"
        ? end({ _tag: "Refused", refusal: { code: "payment_refused", message: "nothing was charged" } })
        : decided
  },
  {
    name: "says that a payment failed that is in progress",
    noticedBy: "one call",
    decides: (decided) =>
      decided._tag === "End" && decided.ending._tag === "InProgress"
        ? end({ _tag: "Refused", refusal: { code: "payment_refused", message: "nothing was charged" } })
        : decided
  },
  {
    name: "owes nothing after work that failed",
    noticedBy: "one call, settles first",
    decides: (decided, given) =>
      given.event._tag === "WorkFailed" && given.step._tag === "Work" && given.step.paid !== undefined
        ? end(failed)
        : decided
  },
  {
    name: "serves a voided charge",
    noticedBy: "one call",
    decides: (decided, { event }) =>
      isEvent(event, "Voided")
        ? end({ _tag: "Paid", receipt: { success: true, transaction: "", network: "", payer: "" } })
        : decided
  }
]
