import type { Receipt } from "../domain/PaymentRequired.ts"
import type { Charge } from "../ports/Charges.ts"
import { reopened, seen } from "./ChainSteps.ts"
import {
  abandon,
  closed,
  end,
  expired,
  failed,
  firstSettle,
  inProgress,
  judge,
  judgeHeld,
  leave,
  ofAnotherRequest,
  pending,
  record,
  refundSent,
  refused,
  settleUnlessUnwanted,
  takeOver,
  transferTaken,
  unfunded,
  work
} from "./CommonSteps.ts"
import type { Settlement, Verification } from "./Facilitator.ts"
import { resumption } from "./Resume.ts"
import {
  type Ending,
  type Event,
  type Facts,
  ImpossibleTransition,
  type PaidFirst,
  type Step
} from "./Steps.ts"

/*
 * Life of a charge, as a pure machine. A step names the one thing to be done next; what came of it is
 * an event; `next` says which step follows. Whoever drives it (a paid call, the reconciler) only does
 * what the step says, so that every order of happenings can be tested without doing any.
 */

export const begin: Step = { _tag: "Find" }

const found = (
  event: Extract<Event, { _tag: "Found" }>,
  { instead, orVoided = false }: Omit<Extract<Step, { _tag: "Find" }>, "_tag"> = {}
): Step => {
  const { charge, nowMillis, patient, presented } = event
  if (charge === undefined || presented === undefined) return instead === undefined ? judge : end(instead)
  if (instead !== undefined && orVoided && charge.state === "voided" && charge.leaseUntilMillis <= nowMillis)
    return end(instead)
  const decision = resumption(charge, presented, nowMillis)
  switch (decision._tag) {
    case "Refuse":
      return end({ _tag: "Refused", refusal: decision.refusal })
    case "Replay":
      return end({ _tag: "Replay", charge })
    case "Finish":
      return takeOver
    case "Wait":
      return patient ? { _tag: "Wait" } : end(inProgress)
  }
}

const applyAndLookUp = (receipt: Receipt): Step => ({ _tag: "Apply", receipt, thenFind: true })

/** What a call does once nothing stands between the claim and the work: settle first, or work first. */
const begun = (facts: Facts): Step => (facts.settlesFirst ? record : work)

const owed = ({ receipt, responseOwedUntilMillis }: Charge): PaidFirst | undefined =>
  receipt === undefined || responseOwedUntilMillis === undefined
    ? undefined
    : { receipt, untilMillis: responseOwedUntilMillis }

const takenSettled = (facts: Facts, event: Extract<Event, { _tag: "Taken" }>, charge: Charge): Step => {
  const paid = owed(charge)
  if (facts.by === "call") {
    if (charge.effectPending) return applyAndLookUp(charge.receipt!)
    if (paid === undefined) return { _tag: "Yield", ending: pending }
    return event.sameRequest ? { _tag: "Work", paid } : { _tag: "Yield", ending: ofAnotherRequest }
  }
  if (charge.effectPending) return { _tag: "Apply", receipt: charge.receipt! }
  if (paid !== undefined && paid.untilMillis <= event.nowMillis) return { _tag: "OweRefund" }
  return charge.awaitsFinality && facts.canReadChain
    ? { _tag: "AskChain", question: { _tag: "Finality", charge } }
    : { _tag: "Yield", ending: closed }
}

const takenReady = (facts: Facts, sameRequest: boolean): Step => {
  // It was a claim that nobody held when it was found, and its slow holder has recorded a response since: for
  // another request than this one, so it is not for this caller.
  if (facts.by === "call" && !sameRequest)
    return { _tag: "Leave", reason: undefined, ending: ofAnotherRequest }
  return facts.canReadChain ? { _tag: "AskChain", question: { _tag: "Before" } } : settleUnlessUnwanted(facts)
}

/** A reorganization undid its settlement after its money went back: it completes by another transfer, if there is one. */
const takenRefunded = (facts: Facts, charge: Charge): Step =>
  facts.by === "reconciler" && facts.canReadChain
    ? { _tag: "AskChain", question: { _tag: "Finality", charge } }
    : { _tag: "Leave", reason: undefined, ending: facts.by === "call" ? refundSent : closed }

const taken = (facts: Facts, event: Extract<Event, { _tag: "Taken" }>): Step => {
  const { charge, nowMillis, readable, sameRequest } = event
  // For a call: look up again which process has it. For the reconciler: another one takes care of it.
  if (charge === undefined) return facts.by === "call" ? begin : end(closed)
  if (!readable) return leave("the charge was encrypted with a key that is not configured")
  if (charge.state !== "settled" && charge.refund !== undefined) return takenRefunded(facts, charge)
  switch (charge.state) {
    case "claimed":
      // Its first holder can do nothing with it from here on; what it prepared is not known, and expires.
      return facts.by === "call"
        ? { _tag: "Void", worked: false, goesOn: { charge, sameRequest }, ending: closed }
        : { _tag: "Void", worked: false, ending: closed }
    case "ready":
      return takenReady(facts, sameRequest)
    case "settled":
      return takenSettled(facts, event, charge)
    case "voided":
      if (facts.canReadChain)
        return { _tag: "AskChain", question: { _tag: "Watch", watched: { charge, sameRequest } } }
      if (facts.by === "call") return judgeHeld
      // No chain can be read, but an authorization that has expired can't move any more.
      return nowMillis > facts.validBeforeSeconds * 1000
        ? abandon(closed, true)
        : { _tag: "Leave", reason: undefined, ending: closed }
  }
}

const verified = (verification: Verification, held: boolean): Step => {
  switch (verification._tag) {
    case "Valid":
      return { _tag: "Claim", held }
    case "Invalid":
      return refuse(
        refused(verification.reason, "the facilitator refused the payment; nothing was charged"),
        held
      )
    case "Unreachable":
      return held ? { _tag: "Leave", reason: undefined, ending: failed } : end(failed)
  }
}

/** Refuses a payment, unless a copy of it was claimed meanwhile: then the caller gets the result of that. */
const refuse = (ending: Ending, held: boolean): Step =>
  held ? { _tag: "Leave", reason: undefined, thenFind: true, ending } : { _tag: "Find", instead: ending }

const limited = ({ patient }: Extract<Event, { _tag: "Limited" }>, held: boolean): Step => {
  if (patient) return { _tag: "Queue", held }
  const ending: Ending = { _tag: "Limited" }
  return held ? { _tag: "Leave", reason: undefined, ending } : end(ending)
}

const settled = (facts: Facts, first: boolean, settlement: Settlement): Step => {
  switch (settlement._tag) {
    case "Rejected":
      return first
        ? {
            _tag: "Void",
            worked: !facts.settlesFirst,
            ending: refused(
              settlement.reason,
              "the facilitator refused to settle the payment; nothing was charged"
            )
          }
        : leave(settlement.reason)
    case "Settled":
      return facts.proofRequired && facts.canReadChain
        ? {
            _tag: "AskChain",
            question: {
              _tag: "Proof",
              transaction: settlement.transaction,
              reason: "the chain does not show the settlement that the facilitator reported"
            }
          }
        : { _tag: "Complete", transaction: settlement.transaction, proof: undefined, refundDue: false }
    case "Unknown":
      return facts.canReadChain
        ? {
            _tag: "AskChain",
            question: { _tag: "Proof", transaction: settlement.transaction, reason: settlement.reason }
          }
        : leave(settlement.reason)
  }
}

const afterCompletion = (
  facts: Facts,
  step: Extract<Step, { _tag: "Complete" }>,
  { owedUntilMillis, receipt, refundDue }: Extract<Event, { _tag: "Completed" }>
): Step => {
  // Another process completed it, with a response that is not at hand here: look that up.
  if (step.refundDue && !refundDue && facts.by === "call") return begin
  if (refundDue || facts.isRefunded)
    return { _tag: "Abandon", whole: true, release: false, ending: refundEnding(facts, receipt) }
  if (!facts.settlesFirst) return { _tag: "Apply", receipt }
  if (facts.by === "reconciler") return { _tag: "Yield", ending: { _tag: "Paid", receipt } }
  return owedUntilMillis === undefined
    ? begin
    : { _tag: "Work", paid: { receipt, untilMillis: owedUntilMillis } }
}

/**
 * Attempts after which a transfer that is recorded for another charge is that one's. A reorganization can move the events
 * of a batch, and the other charge is then about to get a transfer of its own.
 */
const takenPatience = 4

/** Which step follows. Total over what can happen; anything else is an {@link ImpossibleTransition}. */
export const next = (step: Step, event: Event, facts: Facts): Step => {
  switch (step._tag) {
    case "Find":
      if (event._tag === "Found") return found(event, step)
      break
    case "Wait":
      if (event._tag === "Waited") return begin
      break
    case "TakeOver":
      if (event._tag === "Taken") return taken(facts, event)
      if (event._tag === "Exhausted") return end(pending)
      break
    case "Judge":
      if (event._tag === "Judged") {
        if (event.refusal === undefined) return { _tag: "Verify", held: step.held }
        return refuse({ _tag: "Refused", refusal: event.refusal }, step.held)
      }
      break
    case "Verify":
      if (event._tag === "Verified") return verified(event.verification, step.held)
      if (event._tag === "Busy") return event.patient ? { _tag: "Wait" } : end(inProgress)
      if (event._tag === "Limited") return limited({ ...event, patient: false }, step.held)
      break
    case "Claim":
      if (event._tag === "Claimed") return facts.canReadChain ? { _tag: "CheckFunds" } : begun(facts)
      if (event._tag === "Found") return found(event)
      if (event._tag === "Limited") return limited(event, step.held)
      break
    case "Queue":
      if (event._tag === "Waited") return { _tag: "Claim", held: step.held }
      break
    case "CheckFunds":
      if (event._tag === "Funded")
        // The balance may be short because this very payment has left it.
        return event.isCovered
          ? begun(facts)
          : { _tag: "Void", worked: false, isOpen: true, ending: unfunded }
      break
    case "Work":
      return afterWork(facts, step, event)
    case "Record":
      if (event._tag === "Recorded") {
        // The lease lapsed under us and another process holds the payment now, with a quote that it may have
        // consumed as well: only what was prepared here is void.
        return event.recorded
          ? firstSettle
          : { _tag: "Abandon", whole: false, release: false, ending: inProgress }
      }
      break
    case "Deliver":
      // Otherwise it took too long: another call delivered it, or a refund is due.
      if (event._tag === "Delivered")
        return event.delivered ? end({ _tag: "Paid", receipt: step.paid.receipt }) : begin
      break
    case "Settle":
      if (event._tag === "Settled") return settled(facts, step.first, event.settlement)
      break
    case "AskChain":
      if (event._tag === "Seen") return seen(facts, step.question, event.evidence)
      break
    case "Complete":
      if (event._tag === "Completed") return afterCompletion(facts, step, event)
      if (event._tag === "TransferTaken")
        return facts.isRefunded || event.attempts < takenPatience
          ? leave("the transfer is recorded for another charge")
          : { _tag: "Void", worked: true, ending: transferTaken }
      if (event._tag === "Overtaken") return end(pending)
      break
    case "Reopen":
      if (event._tag === "Reopened") return event.reopened ? reopened(facts, step.next) : end(closed)
      break
    case "Apply":
      if (event._tag === "Done")
        return step.thenFind === true ? begin : end({ _tag: "Paid", receipt: step.receipt })
      break
    case "Void":
      if (event._tag === "Voided") {
        // Another process took it over meanwhile: its findings hold.
        if (!event.voided) return facts.by === "call" ? begin : end(closed)
        if (step.goesOn !== undefined)
          return facts.canReadChain
            ? { _tag: "AskChain", question: { _tag: "Watch", watched: step.goesOn } }
            : judgeHeld
        return step.isOpen === true && facts.canReadChain
          ? { _tag: "AskChain", question: { _tag: "Refusal", ending: step.ending } }
          : abandon(step.ending, false)
      }
      break
    case "Abandon":
      if (event._tag === "Done")
        return step.release ? { _tag: "Release", ending: step.ending } : end(step.ending)
      break
    case "Leave":
      if (event._tag === "Done")
        return step.thenFind === true
          ? { _tag: "Find", instead: step.ending, orVoided: true }
          : end(step.ending)
      break
    case "Release":
    case "Yield":
      if (event._tag === "Done") return end(step.ending)
      break
    case "Finalize":
    case "OweRefund":
      if (event._tag === "Done") return end(closed)
      break
    case "End":
      break
  }
  throw new ImpossibleTransition(step, event)
}

const afterWork = (facts: Facts, step: Extract<Step, { _tag: "Work" }>, event: Event): Step => {
  const { paid } = step
  if (event._tag === "WorkFailed")
    return paid === undefined
      ? { _tag: "Void", worked: false, ending: failed }
      : { _tag: "Yield", ending: { _tag: "Owed", ...paid } }
  if (event._tag !== "Worked") throw new ImpossibleTransition(step, event)
  if (paid !== undefined) return { _tag: "Deliver", paid }
  return event.nowSeconds > facts.validBeforeSeconds
    ? { _tag: "Void", worked: false, ending: expired }
    : record
}

const refundEnding = (facts: Facts, receipt: Receipt): Ending =>
  facts.by === "reconciler" ? { _tag: "Paid", receipt } : refundIsDue

/** Told to who presents a payment that was refused, moved all the same, and has no answer. */
export const refundIsDue = refused(
  "payment_refund_due",
  "this payment was refused and has moved all the same; it is owed back to the payer, sign a new one to buy"
)
