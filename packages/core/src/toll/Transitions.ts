import type { Receipt } from "../domain/PaymentRequired.ts"
import type { ChainEvidence } from "./Chain.ts"
import { definiteRefusals, type Settlement, type Verification } from "./Facilitator.ts"
import { otherRequest, resumption } from "./Resume.ts"
import {
  type Ending,
  type Event,
  type Facts,
  ImpossibleTransition,
  type Question,
  type Step,
  type Watched
} from "./Steps.ts"
import { clockSkewSeconds } from "./Verdict.ts"

/*
 * Life of a charge, as a pure machine. A step names the one thing to be done next; what came of it is
 * an event; `next` says which step follows. Whoever drives it (a paid call, the reconciler) only does
 * what the step says, so that every order of happenings can be tested without doing any.
 */

export const begin: Step = { _tag: "Find" }

const end = (ending: Ending): Step => ({ _tag: "End", ending })
const refused = (code: string, message: string): Ending => ({ _tag: "Refused", refusal: { code, message } })
const inProgress: Ending = { _tag: "InProgress" }
const pending: Ending = { _tag: "Pending" }
const closed: Ending = { _tag: "Closed" }
const failed: Ending = { _tag: "Failed" }
const judge: Step = { _tag: "Judge", held: false }
const judgeHeld: Step = { _tag: "Judge", held: true }
const takeOver: Step = { _tag: "TakeOver" }
const firstSettle: Step = { _tag: "Settle", first: true }
const settleAgain: Step = { _tag: "Settle", first: false }
const verify: Step = { _tag: "Verify" }
const work: Step = { _tag: "Work" }
const record: Step = { _tag: "Record" }

const expired = refused(
  "payment_expired",
  "the payment expired before it was settled; nothing was charged, sign a new one"
)

const ofAnotherRequest = refused("payment_already_used", otherRequest)

const cancelled = refused(
  "payment_cancelled",
  "the payer cancelled this payment on the chain; nothing was charged, sign a new one"
)

const abandon = (ending: Ending, release: boolean): Step => ({
  _tag: "Abandon",
  whole: true,
  release,
  ending
})

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

const taken = (facts: Facts, event: Extract<Event, { _tag: "Taken" }>): Step => {
  const { charge, nowMillis, readable, sameRequest } = event
  // For a call: look again who has it. For the reconciler: somebody is seeing to it.
  if (charge === undefined) return facts.by === "call" ? begin : end(closed)
  if (!readable) return leave("the charge was sealed with a key that is not configured")
  switch (charge.state) {
    case "claimed":
      // Its first holder can do nothing with it from here on; what it prepared is not known, and found by time.
      return facts.by === "call"
        ? { _tag: "Void", answered: false, goesOn: { charge, sameRequest }, ending: closed }
        : { _tag: "Void", answered: false, ending: closed }
    case "ready":
      // It was a claim that nobody held when it was found, and its slow holder has recorded an answer since: for
      // another request than this one, so it is not for this caller.
      if (facts.by === "call" && !sameRequest)
        return { _tag: "Leave", reason: undefined, ending: ofAnotherRequest }
      return facts.canReadChain ? { _tag: "AskChain", question: { _tag: "Before" } } : settleAgain
    case "settled":
      // It was settled while it was being taken. Whether its answer is for who asks now is looked up anew.
      if (facts.by === "call") return charge.effectPending ? applyAndLookUp(charge.receipt!) : begin
      return charge.effectPending ? { _tag: "Apply", receipt: charge.receipt! } : end(closed)
    case "voided":
      if (facts.canReadChain)
        return { _tag: "AskChain", question: { _tag: "Watch", watched: { charge, sameRequest } } }
      if (facts.by === "call") return judgeHeld
      // Nobody can be asked, but an authorization that has run out can't move any more.
      return nowMillis > facts.validBeforeSeconds * 1000
        ? abandon(closed, true)
        : { _tag: "Leave", reason: undefined, ending: closed }
  }
}

const verified = (verification: Verification): Step => {
  switch (verification._tag) {
    case "Valid":
      return work
    case "Invalid":
      return {
        _tag: "Void",
        answered: false,
        isOpen: !definiteRefusals.has(verification.reason),
        ending: refused(verification.reason, "the facilitator refused the payment; nothing was charged")
      }
    case "Unreachable":
      return { _tag: "Void", answered: false, ending: failed }
  }
}

const leave = (reason: string): Step => ({ _tag: "Leave", reason, ending: pending })

const settled = (facts: Facts, first: boolean, settlement: Settlement): Step => {
  switch (settlement._tag) {
    case "Rejected":
      return first
        ? {
            _tag: "Void",
            answered: true,
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
        : { _tag: "Complete", transaction: settlement.transaction, refundDue: false }
    case "Unknown":
      return facts.canReadChain
        ? {
            _tag: "AskChain",
            question: { _tag: "Proof", transaction: settlement.transaction, reason: settlement.reason }
          }
        : leave(settlement.reason)
  }
}

const hasExpired = (facts: Facts, evidence: Extract<ChainEvidence, { _tag: "NotMoved" }>): boolean =>
  evidence.chainTimeSeconds > facts.validBeforeSeconds

/** Whether money moved before its payment was presented here; our clock may be ahead of the chain's. */
const movedBefore = ({ atSeconds }: { readonly atSeconds: number }, millis: number): boolean =>
  atSeconds < Math.floor(millis / 1000) - clockSkewSeconds

const watched = (facts: Facts, { charge, sameRequest }: Watched, evidence: ChainEvidence): Step => {
  switch (evidence._tag) {
    case "Moved":
      // What is due for it is due to the request that it was made for: to a retry of that, or by the reconciler.
      if (!sameRequest) return { _tag: "Leave", reason: undefined, ending: usedForAnother }
      // Moved before it was ever presented here: a signature that was read off the chain buys nothing.
      return movedBefore(evidence, charge.firstClaimedAtMillis)
        ? abandon(facts.by === "call" ? usedElsewhere : closed, true)
        : {
            _tag: "Complete",
            transaction: evidence.transaction,
            refundDue: charge.answer === undefined
          }
    case "NotMoved":
      if (facts.by === "call") return judgeHeld
      return hasExpired(facts, evidence)
        ? abandon(closed, true)
        : { _tag: "Leave", reason: undefined, ending: closed }
    case "Cancelled":
      return abandon(facts.by === "call" ? cancelled : closed, true)
    case "Unavailable":
      return { _tag: "Leave", reason: undefined, ending: facts.by === "call" ? pending : closed }
  }
}

const usedForAnother = refused(
  "payment_already_used",
  "this payment was made for another request; a payment buys one request"
)

const usedElsewhere = refused(
  "payment_already_used",
  "this payment was made before it was presented here; sign a new one"
)

const seen = (
  facts: Facts,
  question: Question,
  { evidence, firstClaimedAtMillis }: Extract<Event, { _tag: "Seen" }>
): Step => {
  switch (question._tag) {
    case "Watch":
      return watched(facts, question.watched, evidence)
    case "Refusal":
      if (evidence._tag !== "Moved") return abandon(question.ending, false)
      return movedBefore(evidence, firstClaimedAtMillis ?? 0)
        ? abandon(usedElsewhere, false)
        : { _tag: "Complete", transaction: evidence.transaction, refundDue: true }
    case "Proof":
    case "Before":
      if (evidence._tag === "Moved")
        return { _tag: "Complete", transaction: evidence.transaction, refundDue: false }
      if (evidence._tag === "Cancelled") return { _tag: "Void", answered: false, ending: cancelled }
      if (evidence._tag === "NotMoved" && hasExpired(facts, evidence))
        return { _tag: "Void", answered: false, ending: expired }
      return question._tag === "Before" ? settleAgain : leave(question.reason)
  }
}

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
        if (event.refusal === undefined) return { _tag: "Claim", held: step.held }
        const ending: Ending = { _tag: "Refused", refusal: event.refusal }
        // A copy may have been taken meanwhile: then what became of it is told, not that nothing was charged.
        return step.held
          ? { _tag: "Leave", reason: undefined, thenFind: true, ending }
          : { _tag: "Find", instead: ending }
      }
      break
    case "Claim":
      if (event._tag === "Claimed") return verify
      if (event._tag === "Found") return found(event)
      if (event._tag === "Limited") {
        const ending: Ending = { _tag: "Limited" }
        return step.held ? { _tag: "Leave", reason: undefined, ending } : end(ending)
      }
      break
    case "Verify":
      if (event._tag === "Verified") return verified(event.verification)
      break
    case "Work":
      if (event._tag === "WorkFailed") return { _tag: "Void", answered: false, ending: failed }
      if (event._tag === "Worked")
        return event.nowSeconds > facts.validBeforeSeconds
          ? { _tag: "Void", answered: false, ending: expired }
          : record
      break
    case "Record":
      if (event._tag === "Recorded") {
        // The lease lapsed under us and somebody else holds the payment now, with a quote that it may have
        // consumed as well: only what was prepared here is void.
        return event.recorded
          ? firstSettle
          : { _tag: "Abandon", whole: false, release: false, ending: inProgress }
      }
      break
    case "Settle":
      if (event._tag === "Settled") return settled(facts, step.first, event.settlement)
      break
    case "AskChain":
      if (event._tag === "Seen") return seen(facts, step.question, event)
      break
    case "Complete":
      if (event._tag === "Completed") {
        // It was brought to its end by others, with an answer that is not in hand here: that one is given.
        if (step.refundDue && !event.refundDue && facts.by === "call") return begin
        return event.refundDue
          ? { _tag: "Abandon", whole: true, release: false, ending: refundEnding(facts, event.receipt) }
          : { _tag: "Apply", receipt: event.receipt }
      }
      if (event._tag === "Overtaken") return end(pending)
      break
    case "Apply":
      if (event._tag === "Done")
        return step.thenFind === true ? begin : end({ _tag: "Paid", receipt: step.receipt })
      break
    case "Void":
      if (event._tag === "Voided") {
        // Somebody else took it up meanwhile: what they found is what holds.
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
      if (event._tag === "Done") return end(step.ending)
      break
    case "End":
      break
  }
  throw new ImpossibleTransition(step, event)
}

const refundEnding = (facts: Facts, receipt: Receipt): Ending =>
  facts.by === "reconciler" ? { _tag: "Paid", receipt } : refundIsDue

/** Told to who presents a payment that was refused, moved all the same, and has no answer. */
export const refundIsDue = refused(
  "payment_refund_due",
  "this payment was refused and has moved all the same; it is owed back to the payer, sign a new one to buy"
)
