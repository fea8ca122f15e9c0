import type {
  ChargeEvent,
  ChargeFacts,
  ChargeStep,
  Ending,
  SettlementStep,
  TakenEvent
} from "../../src/toll/machine/ChargeStep.ts"
import { type Machines, realMachines } from "./ChargeModel.ts"

/*
 * Mutants of the charge machine: each changes what it reads or decides in one place. A mutant that no world notices
 * names what the worlds lack.
 */

/** What the machine is given. */
interface Given {
  readonly step: ChargeStep
  readonly event: ChargeEvent
  readonly facts: ChargeFacts
}

/** A change of what the machine reads, or of the step that it decides. */
export interface Mutant {
  readonly name: string
  readonly reads?: (given: Given) => Given
  readonly decides?: (decided: ChargeStep, given: Given) => ChargeStep
  /** Why no world can notice it. */
  readonly survives?: string
}

type EventOf<Tag extends ChargeEvent["_tag"]> = Extract<ChargeEvent, { readonly _tag: Tag }>
type StepOf<Tag extends ChargeStep["_tag"]> = Extract<ChargeStep, { readonly _tag: Tag }>

const isEvent = <Tag extends ChargeEvent["_tag"]>(event: ChargeEvent, tag: Tag): event is EventOf<Tag> =>
  event._tag === tag
const isStep = <Tag extends ChargeStep["_tag"]>(step: ChargeStep, tag: Tag): step is StepOf<Tag> =>
  step._tag === tag

/** Reads an event of a kind otherwise. */
const readsEvent =
  <Tag extends ChargeEvent["_tag"]>(
    tag: Tag,
    change: (event: EventOf<Tag>, given: Given) => ChargeEvent
  ): NonNullable<Mutant["reads"]> =>
  (given) =>
    isEvent(given.event, tag) ? { ...given, event: change(given.event, given) } : given

const readsFacts =
  (change: Partial<ChargeFacts>): NonNullable<Mutant["reads"]> =>
  (given) => ({ ...given, facts: { ...given.facts, ...change } })

/** Decides a step of a kind otherwise. */
const decidesStep =
  <Tag extends ChargeStep["_tag"]>(
    tag: Tag,
    change: (step: StepOf<Tag>, given: Given) => ChargeStep
  ): NonNullable<Mutant["decides"]> =>
  (decided, given) =>
    isStep(decided, tag) ? change(decided, given) : decided

const end = (ending: Ending): ChargeStep => ({ _tag: "End", ending })
const closed: Ending = { _tag: "Closed" }
const failed: Ending = { _tag: "Failed" }
const evidence = (event: EventOf<"Seen">, tag: EventOf<"Seen">["evidence"]["_tag"]): boolean =>
  event.evidence._tag === tag
const unavailable: ChargeEvent = { _tag: "Seen", evidence: { _tag: "Unavailable" } }
const notMoved = (chainTimeSeconds: number): ChargeEvent => ({
  _tag: "Seen",
  evidence: { _tag: "NotMoved", chainTimeSeconds }
})
/** A time at which nothing can move any more. */
const muchLater = 1_000

const facts: ReadonlyArray<Mutant> = [
  { name: "the facilitator's word is enough", reads: readsFacts({ proofRequired: false }) },
  { name: "a chain that can be read is not", reads: readsFacts({ canReadChain: false }) },
  { name: "no work is due after a settlement", reads: readsFacts({ workIsDue: false }) },
  { name: "work is due after every settlement", reads: readsFacts({ workIsDue: true }) },
  { name: "the chain is final at once", reads: readsFacts({ finalitySeconds: 0 }) },
  { name: "payments expire early", reads: readsFacts({ validBeforeSeconds: 40 }) },
  { name: "payments never expire", reads: readsFacts({ validBeforeSeconds: 10_000 }) },
  {
    name: "the reconciler acts as a call",
    reads: (given) => ({ ...given, facts: { ...given.facts, by: "call" } })
  }
]

const events: ReadonlyArray<Mutant> = [
  {
    name: "forgets the lease at Record",
    reads: readsEvent("Recorded", (event) => ({ ...event, recorded: true }))
  },
  {
    name: "forgets the lease at Void",
    reads: readsEvent("Voided", (event) => ({ ...event, voided: true }))
  },
  {
    name: "forgets the lease at Deliver",
    reads: readsEvent("Delivered", (event) => ({ ...event, delivered: true }))
  },
  {
    name: "forgets the lease at Reopen",
    reads: readsEvent("Reopened", (event) => ({ ...event, reopened: true }))
  },
  {
    name: "ignores that a reopened charge was refunded",
    reads: readsEvent("Reopened", (event) => ({ ...event, isRefunded: false }))
  },
  {
    name: "ignores that a refund is due",
    reads: readsEvent("Completed", (event) => ({ ...event, refundDue: false }))
  },
  {
    name: "ignores that a response is owed",
    reads: readsEvent("Completed", ({ _tag, receipt, refundDue }) => ({ _tag, receipt, refundDue }))
  },
  {
    name: "every request is the same",
    reads: readsEvent("Found", (event) => ({
      ...event,
      found: event.found && {
        ...event.found,
        presented: { ...event.found.presented, sameRequest: true }
      }
    }))
  },
  {
    name: "every request is the same at a takeover",
    reads: readsEvent("Taken", (event) => ({ ...event, sameRequest: true }))
  },
  {
    name: "every signature is the same",
    reads: readsEvent("Found", (event) => ({
      ...event,
      found: event.found && {
        ...event.found,
        presented: { ...event.found.presented, payloadDigest: event.found.charge.payloadDigest }
      }
    }))
  },
  {
    name: "every lease has expired",
    reads: readsEvent("Found", (event) => ({
      ...event,
      found: event.found && {
        ...event.found,
        charge: { ...event.found.charge, leaseUntilMillis: 0 }
      }
    }))
  },
  {
    name: "a taken charge is never owed a response",
    reads: readsEvent("Taken", (event) => withCharge(event, { responseOwedUntilMillis: undefined }))
  },
  {
    name: "a taken charge never awaits finality",
    reads: readsEvent("Taken", (event) => withCharge(event, { awaitsFinality: false }))
  },
  {
    name: "a taken charge has no pending effect",
    reads: readsEvent("Taken", (event) => withCharge(event, { effectPending: false }))
  },
  {
    name: "a taken voided charge counts as claimed",
    reads: readsEvent("Taken", (event) =>
      event.charge.state === "voided" ? withCharge(event, { state: "claimed" }) : event
    )
  },
  {
    name: "a rejection after an unknown outcome is final",
    reads: (given) =>
      given.step._tag === "Settle" ? { ...given, step: { ...given.step, first: true } } : given
  },
  {
    name: "an unknown outcome is a rejection",
    reads: readsEvent("Settled", (event) =>
      event.settlement._tag === "Unknown"
        ? { _tag: "Settled", settlement: { _tag: "Rejected", reason: "unknown" } }
        : event
    )
  },
  {
    name: "a rejection is an unknown outcome",
    reads: readsEvent("Settled", (event) =>
      event.settlement._tag === "Rejected"
        ? { _tag: "Settled", settlement: { _tag: "Unknown", reason: "no", transaction: undefined } }
        : event
    ),
    survives: "a charge stays open for longer, and ends the same way: caution costs no money"
  },
  {
    name: "a chain that can't be read shows that nothing moved",
    reads: readsEvent("Seen", (event) => (evidence(event, "Unavailable") ? notMoved(muchLater) : event))
  },
  {
    name: "a node that lags is believed",
    reads: readsEvent("Seen", (event) => (evidence(event, "NotMoved") ? notMoved(muchLater) : event))
  },
  {
    name: "a transfer that moved is overlooked",
    reads: readsEvent("Seen", (event) => (evidence(event, "Moved") ? notMoved(muchLater) : event))
  },
  {
    name: "a transfer that is confirming hasn't moved",
    reads: readsEvent("Seen", (event) => (evidence(event, "Confirming") ? notMoved(muchLater) : event))
  },
  {
    name: "a transfer that was canceled can't be read",
    reads: readsEvent("Seen", (event) => (evidence(event, "NotPaid") ? unavailable : event))
  },
  {
    name: "every transfer is final",
    reads: readsEvent("Seen", (event) =>
      event.evidence._tag === "Moved" ? { ...event, evidence: { ...event.evidence, isFinal: true } } : event
    )
  },
  {
    name: "a transfer before the claim pays",
    reads: readsEvent("Seen", ({ evidence: seen }) => {
      if (seen._tag !== "Moved") return { _tag: "Seen", evidence: seen }
      const { _tag, atSeconds, isFinal, logIndex, transaction } = seen
      return { _tag: "Seen", evidence: { _tag, atSeconds, isFinal, logIndex, transaction } }
    })
  },
  {
    name: "an invalid payment is valid",
    reads: readsEvent("Verified", () => ({
      _tag: "Verified",
      verification: { _tag: "Valid", payer: undefined }
    })),
    survives:
      "a facilitator that verifies wrongly still can't settle: only work is lost, which is no money of a payer"
  },
  {
    name: "work that failed is not noticed by copies",
    reads: readsEvent("Found", (event) => ({ ...event, waitedFor: undefined }))
  }
]

const withCharge = (event: TakenEvent, changes: Partial<TakenEvent["charge"]>): TakenEvent => ({
  ...event,
  charge: { ...event.charge, ...changes }
})

const steps: ReadonlyArray<Mutant> = [
  { name: "works before it claims", decides: decidesStep("Claim", () => ({ _tag: "Work" })) },
  {
    name: "settles without a record",
    decides: decidesStep("Record", () => ({ _tag: "Settle", first: true }))
  },
  {
    name: "records no response",
    decides: decidesStep("Record", () => ({ _tag: "Record" }))
  },
  {
    name: "serves without settling",
    decides: (decided, given) =>
      decided._tag === "Settle" && given.event._tag === "Recorded"
        ? end({ _tag: "Paid", receipt: { success: true, transaction: "", network: "", payer: "" } })
        : decided
  },
  {
    name: "works after a failed charge of funds",
    decides: (decided, given) => (given.event._tag === "Funded" ? { _tag: "Work" } : decided)
  },
  {
    name: "settles again without a search",
    decides: decidesStep("QueryChain", (step) =>
      step.query._tag === "Before" ? { _tag: "Settle", first: false } : step
    )
  },
  {
    name: "doesn't ask for the proof",
    decides: decidesStep("QueryChain", (step, { facts: { by } }) =>
      step.query._tag === "Proof" ? end(by === "call" ? { _tag: "Pending" } : closed) : step
    )
  },
  {
    name: "doesn't watch what was voided",
    decides: decidesStep("QueryChain", (step) =>
      step.query._tag === "Watch" ? { _tag: "DeleteCharge", ending: closed } : step
    )
  },
  {
    name: "doesn't query the chain before a refusal",
    decides: decidesStep("QueryChain", (step) =>
      step.query._tag === "Refusal" ? end(step.query.ending) : step
    )
  },
  {
    name: "a settlement is final without a second look",
    decides: decidesStep("QueryChain", (step) =>
      step.query._tag === "Finality" ? { _tag: "Finalize" } : step
    )
  },
  {
    name: "never refunds",
    decides: decidesStep("Complete", (step) => ({ ...step, refundDue: false }))
  },
  {
    name: "always refunds",
    decides: decidesStep("Complete", (step) => ({ ...step, refundDue: true }))
  },
  {
    name: "forgets the proof",
    decides: decidesStep("Complete", (step) => ({ ...step, proof: undefined }))
  },
  { name: "skips Apply", decides: decidesStep("Apply", () => end(closed)) },
  {
    name: "skips Void",
    decides: decidesStep("Void", ({ ending }, { facts: { by } }) => end(by === "call" ? ending : closed))
  },
  {
    name: "doesn't void what another may still use",
    decides: decidesStep("Void", (step, { event }) =>
      event._tag === "Taken" ? { _tag: "EndLease", ending: step.ending } : step
    )
  },
  {
    name: "deletes whatever it rolls back",
    decides: decidesStep("RollBack", (step) => ({ _tag: "DeleteCharge", ending: step.ending }))
  },
  {
    name: "skips RollBack",
    decides: decidesStep("RollBack", ({ ending }) => end(ending)),
    survives:
      "an order that was prepared and is neither released nor abandoned waits for its payment, which is checked"
  },
  {
    name: "skips the last look before a refusal",
    decides: decidesStep("Find", (step) => (step.instead === undefined ? step : end(step.instead)))
  },
  {
    name: "deletes without a rollback's delay",
    decides: decidesStep("Defer", (step) => ({ _tag: "DeleteCharge", ending: step.ending }))
  },
  {
    name: "skips DeleteCharge",
    decides: decidesStep("DeleteCharge", ({ ending }) => end(ending)),
    survives: "the charge stays voided, and the reconciler clears it in bulk"
  },
  { name: "skips Finalize", decides: decidesStep("Finalize", () => end(closed)) },
  { name: "skips Reopen", decides: decidesStep("Reopen", () => ({ _tag: "Finalize" })) },
  {
    name: "reopens nothing",
    decides: decidesStep("Reopen", () => ({ _tag: "EndLease", ending: closed }))
  },
  {
    name: "never marks a refund as due",
    decides: decidesStep("MarkRefundDue", () => ({ _tag: "EndLease", ending: closed }))
  },
  {
    name: "marks a refund as due too early",
    decides: decidesStep("EndLease", (step, { facts: { by } }) =>
      by === "reconciler" ? { _tag: "MarkRefundDue" } : step
    )
  },
  {
    name: "doesn't deliver what was paid first",
    decides: decidesStep("Deliver", ({ paid: { receipt } }) => end({ _tag: "Paid", receipt }))
  },
  {
    name: "replays what isn't settled",
    reads: readsEvent("Found", (event) => event),
    decides: (decided, { event }) =>
      isEvent(event, "Found") && event.found?.charge.response !== undefined
        ? end({ _tag: "Replay", charge: event.found.charge })
        : decided
  },
  {
    name: "says that nothing was charged while the outcome is open",
    decides: (decided) =>
      decided._tag === "End" && decided.ending._tag === "Pending"
        ? end({ _tag: "Refused", refusal: { code: "payment_refused", message: "nothing was charged" } })
        : decided
  },
  {
    name: "says that a payment failed that is in progress",
    decides: (decided) =>
      decided._tag === "End" && decided.ending._tag === "InProgress"
        ? end({ _tag: "Refused", refusal: { code: "payment_refused", message: "nothing was charged" } })
        : decided
  },
  {
    name: "owes nothing after work that failed",
    decides: (decided, given) =>
      given.event._tag === "WorkFailed" && given.step._tag === "Work" && given.step.paid !== undefined
        ? end(failed)
        : decided,
    survives: "the response stays owed: the next call works again, or the reconciler refunds"
  },
  {
    name: "serves a voided charge",
    decides: (decided, { event }) =>
      isEvent(event, "Voided")
        ? end({ _tag: "Paid", receipt: { success: true, transaction: "", network: "", payer: "" } })
        : decided
  }
]

export const chargeMutants: ReadonlyArray<Mutant> = [...facts, ...events, ...steps]

const isSettlementStep = (step: ChargeStep): step is SettlementStep | StepOf<"End"> =>
  step._tag === "End" || !requestTags.has(step._tag)
const requestTags: ReadonlySet<string> = new Set([
  "Find",
  "Wait",
  "TakeOver",
  "Judge",
  "Verify",
  "Claim",
  "Queue",
  "CheckFunds",
  "Work",
  "Record",
  "Deliver"
])

/** The machines with a mutant in them. */
export const mutate = ({ decides, reads }: Mutant): Machines => {
  const read = (given: Given): Given => reads?.(given) ?? given
  const decide = (decided: ChargeStep, given: Given): ChargeStep => decides?.(decided, given) ?? decided
  const underLease = (step: ChargeStep) => {
    if (!isSettlementStep(step)) throw new Error(`a reconciler can't perform ${step._tag}`)
    return step
  }
  const settlementStep = (step: ChargeStep): SettlementStep => {
    const settlement = underLease(step)
    if (settlement._tag === "End") throw new Error("no step follows the end")
    return settlement
  }
  return {
    next: (step, event, given) => {
      const changed = read({ step, event, facts: given })
      return decide(realMachines.next(changed.step, changed.event, changed.facts), changed)
    },
    beginInReconciler: (event, given) => {
      const changed = read({ step: { _tag: "TakeOver" }, event, facts: given })
      if (changed.event._tag !== "Taken") throw new Error("a reconciler begins with a takeover")
      return underLease(decide(realMachines.beginInReconciler(changed.event, changed.facts), changed))
    },
    nextInReconciler: (step, event, given) => {
      const changed = read({ step, event, facts: given })
      const decided = realMachines.nextInReconciler(
        settlementStep(changed.step),
        changed.event,
        changed.facts
      )
      return underLease(decide(decided, changed))
    }
  }
}
