import type { ChargeStep, Ending, Plan } from "../../src/toll/machine/ChargeStep.ts"
import { refundIsDue } from "../../src/toll/machine/SettlementMachine.ts"
import { decidesStep, isEvent, type Mutant, skips } from "./Mutant.ts"

/*
 * Mutants that plan otherwise.
 */

const end = (ending: Ending): Plan => [{ _tag: "End", ending }]
const closed: Ending = { _tag: "Closed" }
const failed: Ending = { _tag: "Failed" }
const served = end({ _tag: "Paid", receipt: { success: true, transaction: "", network: "", payer: "" } })
const freeRefusal = end({
  _tag: "Refused",
  refusal: { code: "payment_refused", message: "nothing was charged" }
})

/** The ending of a plan, if it has one. */
const endingOf = (plan: ReadonlyArray<ChargeStep>): Plan => {
  const last = plan.at(-1)
  return last?._tag === "End" ? [last] : end(closed)
}

export const decidingMutants: ReadonlyArray<Mutant> = [
  {
    name: "works before it claims",
    noticedBy: "one call",
    decides: decidesStep("Claim", () => [{ _tag: "Work" }])
  },
  {
    name: "settles without a record",
    noticedBy: "one call, blind",
    decides: skips("Advance")
  },
  {
    name: "records no response",
    noticedBy: "one call",
    decides: decidesStep("Advance", (_, later) => [{ _tag: "Advance" }, ...later])
  },
  {
    name: "serves without settling",
    noticedBy: "one call",
    decides: (decided, given) =>
      decided[0]._tag === "Settle" && given.event._tag === "Advanced" ? served : decided
  },
  {
    name: "works after a failed charge of funds",
    noticedBy: "twice, settles first",
    decides: (decided, given) => (given.event._tag === "Funded" ? [{ _tag: "Work" }] : decided)
  },
  {
    name: "settles again without a search",
    survives: "the nonce makes another settlement safe; the search saves a call to the facilitator",
    decides: decidesStep("QueryChain", (step, later) =>
      later[0]?._tag === "Settle" ? [later[0]] : [step, ...later]
    )
  },
  {
    name: "doesn't ask for the proof",
    noticedBy: "calm, proof, order",
    decides: decidesStep("QueryChain", (step, later, { event, facts: { by } }) =>
      event._tag === "Settled" ? end(by === "call" ? { _tag: "Pending" } : closed) : [step, ...later]
    )
  },
  {
    name: "doesn't watch what was voided",
    noticedBy: "lies, lag",
    decides: decidesStep("QueryChain", (step, later) =>
      step.query._tag === "Watch" ? [{ _tag: "Release" }, ...end(closed)] : [step, ...later]
    )
  },
  {
    name: "doesn't query the chain before a refusal",
    survives:
      "the charge stays voided and is watched: if its money moved, it is refunded, though its caller read that it wasn't charged",
    decides: decidesStep("QueryChain", (step, later) =>
      step.query._tag === "Refusal" ? endingOf(later) : [step, ...later]
    )
  },
  {
    name: "a settlement is final without a second look",
    noticedBy: "reorganization",
    decides: decidesStep("QueryChain", (step, later) =>
      step.query._tag === "Finality"
        ? [{ _tag: "Finalize" }, { _tag: "YieldLease" }, ...end(closed)]
        : [step, ...later]
    )
  },
  {
    name: "never refunds",
    noticedBy: "lies, lag",
    decides: decidesStep("Complete", (step) => [{ ...step, refund: "none" }])
  },
  {
    name: "always refunds",
    noticedBy: "calm",
    decides: decidesStep("Complete", (step) => [{ ...step, refund: "due" }])
  },
  {
    name: "forgets the proof",
    noticedBy: "reorganization",
    decides: decidesStep("Complete", (step) => [{ ...step, proof: undefined }])
  },
  {
    name: "skips Apply",
    noticedBy: "one call, proof, order",
    decides: decidesStep("Apply", () => end(closed))
  },
  {
    name: "skips Void",
    noticedBy: "one call",
    decides: decidesStep("Void", (_, later) => endingOf(later))
  },
  {
    name: "doesn't void what another may still use",
    noticedBy: "one call",
    decides: decidesStep("Void", (step, later, { event }) =>
      event._tag === "Taken" ? [{ _tag: "YieldLease" }, ...endingOf(later)] : [step, ...later]
    )
  },
  {
    name: "deletes whatever it rolls back",
    noticedBy: "lies, lag",
    decides: decidesStep("RollBack", (_, later) => [{ _tag: "Release" }, ...endingOf(later)])
  },
  {
    name: "skips RollBack",
    noticedBy: "one call, proof, order",
    decides: decidesStep("RollBack", (_, later) => endingOf(later))
  },
  {
    name: "never rolls back late work",
    noticedBy: "two copies, order, crash",
    decides: (decided, { event }) =>
      isEvent(event, "Voided") && !event.voided ? [{ _tag: "Find" }] : decided
  },
  {
    name: "skips the last look before a refusal",
    noticedBy: "two copies",
    decides: skips("FindCopy")
  },
  {
    name: "deletes without a rollback's delay",
    noticedBy: "lies, lag",
    decides: decidesStep("Defer", (_, later) => [{ _tag: "Release" }, ...endingOf(later)])
  },
  {
    name: "skips Release",
    noticedBy: "one call, proof, order",
    decides: skips("Release")
  },
  { name: "skips Finalize", noticedBy: "one call", decides: decidesStep("Finalize", () => end(closed)) },
  {
    name: "skips Reopen",
    noticedBy: "reorganization",
    decides: decidesStep("Reopen", () => [{ _tag: "Finalize" }, { _tag: "YieldLease" }, ...end(closed)])
  },
  {
    name: "reopens nothing",
    noticedBy: "reorganization",
    decides: decidesStep("Reopen", () => [{ _tag: "YieldLease" }, ...end(closed)])
  },
  {
    name: "never marks a refund as due",
    noticedBy: "one call, settles first",
    decides: decidesStep("MarkRefundDue", () => [{ _tag: "YieldLease" }, ...end(closed)])
  },
  {
    name: "marks a refund as due too early",
    survives:
      "the payment is refunded, though its response was still owed: no money is lost, and no world counts lost sales",
    decides: decidesStep("YieldLease", (step, later, { event, facts: { by } }) =>
      by === "reconciler" && event._tag !== "Done" && later[0]?._tag === "End"
        ? [{ _tag: "MarkRefundDue" }, step, ...later]
        : [step, ...later]
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
    decides: decidesStep("Defer", (step, later) => [step, ...endingOf(later)])
  },
  {
    name: "doesn't deliver what was paid first",
    noticedBy: "one call, settles first",
    decides: skips("Deliver")
  },
  {
    name: "works on what it has voided",
    noticedBy: "one call, settles first, payer sends",
    decides: (decided, { event, facts: { by } }) =>
      by === "call" && isEvent(event, "Completed") && event.owedUntilMillis !== undefined
        ? [
            {
              _tag: "Work",
              paid: { receipt: event.receipt, untilMillis: event.owedUntilMillis, isProvisional: false }
            }
          ]
        : decided
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
      decided[0]._tag === "End" && decided[0].ending._tag === "Pending" ? freeRefusal : decided
  },
  {
    name: "says that a payment failed that is in progress",
    noticedBy: "one call",
    decides: (decided) =>
      decided[0]._tag === "End" && decided[0].ending._tag === "InProgress" ? freeRefusal : decided
  },
  {
    name: "owes nothing after work that failed",
    noticedBy: "one call, settles first",
    decides: (decided, { event, plan: [step] }) =>
      event._tag === "WorkFailed" && step._tag === "Work" && step.paid !== undefined ? end(failed) : decided
  },
  {
    name: "serves a voided charge",
    noticedBy: "one call",
    decides: (decided, { event }) => (isEvent(event, "Voided") ? served : decided)
  }
]
