import type { Charge } from "../../ports/Charges.ts"
import type { FacilitatorRoute, Verification } from "../facilitator/Facilitator.ts"
import {
  defer,
  end,
  failed,
  findAgain,
  follow,
  giveUp,
  inProgress,
  leave,
  pending,
  queryFirst,
  refused,
  refuseOwn,
  rollBackOwn,
  unfunded,
  unverifiable,
  voidCharge,
  voidLate
} from "./Plans.ts"
import {
  type ChargeEvent,
  type ChargeFacts,
  type ChargeStep,
  type Decision,
  type Ending,
  ImpossibleTransition,
  type KeyState,
  type Plan,
  type RequestStep
} from "./ChargeStep.ts"
import type { Refusal } from "../request/Verdict.ts"
import { decideReplay } from "./ReplayDecision.ts"
import { afterSettlementStep, afterTakeover } from "./SettlementMachine.ts"
import type { PayableTask } from "./SettlementTask.ts"

/*
 * The life of a charge, as a pure machine. Its state is a plan. The first step names the next thing to do, an event is its
 * result, and `next` returns the plan that follows: the rest, or a new one. The paid call and the reconciler only perform
 * steps, so every order of events can be tested without side effects.
 *
 * Parts of a charge's life. `─▶`: an event makes a new plan. `,`: it continues the plan.
 *
 * a paid call           Find ─▶ Judge ─▶ Verify ─▶ Claim ─▶ CheckFunds, Work ─▶ Advance, Settle
 * its settlement        Settle ─▶ QueryChain ─▶ Complete ─▶ Apply, End
 * settled before work   CheckFunds, Advance, Settle ─▶ QueryChain ─▶ Complete ─▶ Work ─▶ Deliver, End
 * refused               Judge ─▶ FindCopy, End
 * repeats another one   Claim ─▶ ClaimRefused ─▶ Void, QueryChain, RollBack, End
 * too little balance    CheckFunds ─▶ Void, QueryChain, RollBack, FindCopy, End
 * work that fails       Work ─▶ Void, RollBack, End
 * unknown outcome       Settle ─▶ QueryChain, Defer, End
 * owed too long         TakeOver ─▶ MarkRefundDue, YieldLease, Find ─▶ End
 * crash, no caller      TakeOver ─▶ Void, RollBack, End
 * crash after a claim   Find ─▶ TakeOver ─▶ Void, QueryChain, Judge ─▶ Verify
 * crash, money moved    Find ─▶ TakeOver ─▶ Void, QueryChain ─▶ Complete (refund due) ─▶ RollBack, End
 * crash after the work  Find ─▶ TakeOver ─▶ QueryChain, Settle ─▶ QueryChain ─▶ Complete
 * refused, moved later  TakeOver ─▶ QueryChain ─▶ Complete ─▶ RollBack, End
 * reorganized           TakeOver ─▶ QueryChain ─▶ Reopen, Settle
 */

type EventOf<Tag extends ChargeEvent["_tag"]> = Extract<ChargeEvent, { readonly _tag: Tag }>
type StepOf<Tag extends RequestStep["_tag"]> = Extract<RequestStep, { readonly _tag: Tag }>

const endRefused = (refusal: Refusal): Plan => [end({ _tag: "Refused", refusal })]

/** A voided charge that no process holds. */
const isLeft = ({ leaseUntilMillis, state }: Charge, nowMillis: number): boolean =>
  state === "voided" && leaseUntilMillis <= nowMillis

const afterFinding = ({ copyRefusal, found, nowMillis, patient }: EventOf<"Found">): Plan => {
  // The caller of a copy has read that nothing was charged, so the payment buys nothing here either.
  if (copyRefusal !== undefined && (found === undefined || isLeft(found.charge, nowMillis)))
    return endRefused(copyRefusal)
  if (found === undefined) return [{ _tag: "Judge", key: "free" }]
  const { charge, presented } = found
  const decision = decideReplay(charge, presented, nowMillis)
  switch (decision._tag) {
    case "Refuse":
      return endRefused(decision.refusal)
    case "Replay":
      return [end({ _tag: "Replay", charge })]
    case "TakeOver": {
      const isUnsettled = charge.state === "claimed" || charge.state === "voided"
      return [{ _tag: "TakeOver" }, end(isUnsettled ? inProgress : pending)]
    }
    case "Wait":
      return patient ? waitAndFind : [end(inProgress)]
  }
}

const waitAndFind: Plan = [{ _tag: "Wait" }, ...findAgain]

const afterFindingCopy = ({ expects }: StepOf<"FindCopy">, event: EventOf<"Found">): Decision => {
  const { found, nowMillis } = event
  if (found === undefined) return "continue"
  return expects === "voided" && isLeft(found.charge, nowMillis) ? "continue" : afterFinding(event)
}

const settleOnce: ChargeStep = { _tag: "Settle", first: true }
const advanceThenSettle: Plan = [{ _tag: "Advance" }, settleOnce]
const workFirst: Plan = [{ _tag: "Work" }]

const afterClaim = (facts: ChargeFacts, { task }: StepOf<"Claim">, claimedAtMillis: number): Plan => {
  const plan = facts.workIsDue ? advanceThenSettle : workFirst
  return facts.canReadChain ? [{ _tag: "CheckFunds", task, claimedAtMillis }, ...plan] : plan
}

/** Refuses a payment after its claim, unless its money has moved already: somebody else may have sent it meanwhile. */
const refuseUnmoved = (facts: ChargeFacts, ending: Ending): Plan => [
  // A repetition can still be bought on purpose, with the same payment.
  { _tag: "Void", keepsExposure: false, isRefused: ending._tag === "Refused" },
  ...queryFirst(facts, { _tag: "Refusal" }, giveUp(ending))
]

type Repetition = EventOf<"Repeated"> | EventOf<"Identified">

const isRepetition = (event: ChargeEvent): event is Repetition =>
  event._tag === "Repeated" || event._tag === "Identified"

const endingOf = (event: Repetition): Ending =>
  event._tag === "Repeated" ? event : { _tag: "Replay", charge: event.first }

/**
 * Refuses a verified payment that repeats another one. The reconciler watches its voided charge; with the key `own`, it has
 * one already.
 */
const refuseRepetition = ({ key, task }: StepOf<"Claim">, ending: Ending): Plan =>
  key === "own" ? defer(ending) : [{ _tag: "ClaimRefused", task, ending }]

/** Records the facilitator that has to settle the payment. */
const routed = (task: PayableTask, route: FacilitatorRoute | undefined): PayableTask =>
  route === undefined ? task : { ...task, request: { ...task.request, route } }

const verified = (verification: Verification, { key, task }: StepOf<"Verify">): Plan => {
  switch (verification._tag) {
    case "Valid":
      return [{ _tag: "Claim", key, task: routed(task, verification.route) }]
    case "Invalid":
      return refuse(
        refused(verification.reason, "the facilitator refused the payment; nothing was charged"),
        key
      )
    case "Unreachable":
      return endUnclaimed(unverifiable, key)
  }
}

/** Refuses a payment, unless another call has claimed a copy of it: then the caller gets that call's result. */
const refuse = (ending: Ending, key: KeyState): Plan =>
  key === "own" ? refuseOwn(ending) : [{ _tag: "FindCopy", expects: "nothing" }, end(ending)]

const limited: Ending = { _tag: "Limited" }

/** Ends a call that can't claim now; its payment may be a copy of one that bought something. */
const endUnclaimed = (ending: Ending, key: KeyState): Plan => (key === "own" ? defer(ending) : [end(ending)])

const afterWork = (step: StepOf<"Work">, event: ChargeEvent, facts: ChargeFacts): Plan => {
  const { paid } = step
  if (event._tag === "WorkFailed") {
    if (paid !== undefined)
      return leave({ _tag: "Owed", receipt: paid.receipt, untilMillis: paid.untilMillis })
    const { refusal } = event
    return refusal === undefined
      ? voidCharge(failed, { keepsExposure: false })
      : refuseUnmoved(facts, { _tag: "Refused", refusal })
  }
  if (event._tag !== "Worked") throw new ImpossibleTransition(step, event)
  const { nowSeconds, work } = event
  if (paid !== undefined) {
    const served: Ending = { _tag: "Paid", receipt: paid.receipt }
    // The reconciler needs the lease to check the proof.
    return [{ _tag: "Deliver", work }, ...(paid.isProvisional ? leave(served) : [end(served)])]
  }
  return nowSeconds > facts.validBeforeSeconds ? voidLate(facts) : [{ _tag: "Advance", work }, settleOnce]
}

/** What follows in a call. */
const decide = (step: ChargeStep, event: ChargeEvent, facts: ChargeFacts): Decision => {
  switch (step._tag) {
    case "Find":
      if (event._tag === "Found") return afterFinding(event)
      break
    case "FindCopy":
      if (event._tag === "Found") return afterFindingCopy(step, event)
      break
    case "Wait":
    case "Queue":
      if (event._tag === "Waited") return "continue"
      break
    case "TakeOver":
      if (event._tag === "Taken") return afterTakeover(event, facts)
      if (event._tag === "Overtaken") return findAgain
      if (event._tag === "Exhausted") return "continue"
      break
    case "Judge":
      if (event._tag === "Refused") return refuse({ _tag: "Refused", refusal: event.refusal }, step.key)
      if (event._tag === "Accepted") return [{ _tag: "Verify", key: step.key, task: event.task }]
      if (event._tag === "Limited") return endUnclaimed(limited, step.key)
      if (isRepetition(event)) return endUnclaimed(endingOf(event), step.key)
      break
    case "Verify":
      if (event._tag === "Verified") return verified(event.verification, step)
      if (event._tag === "Refused") return refuse({ _tag: "Refused", refusal: event.refusal }, step.key)
      // A call that holds the charge doesn't wait: its copies would wait for its lease.
      if (event._tag === "Busy")
        return event.patient && step.key === "free" ? waitAndFind : endUnclaimed(inProgress, step.key)
      if (event._tag === "Limited") return endUnclaimed(limited, step.key)
      if (isRepetition(event)) return endUnclaimed(endingOf(event), step.key)
      break
    case "Claim":
      if (event._tag === "Claimed") return afterClaim(facts, step, event.claimedAtMillis)
      if (event._tag === "Found") return afterFinding(event)
      if (event._tag === "Limited")
        return event.patient ? [{ _tag: "Queue" }, step] : endUnclaimed(limited, step.key)
      if (isRepetition(event)) return refuseRepetition(step, endingOf(event))
      break
    case "ClaimRefused":
      if (event._tag === "Claimed") return refuseUnmoved(facts, step.ending)
      if (event._tag === "Found") return afterFinding(event)
      break
    case "CheckFunds":
      // The balance may be too low because this same payment has left it.
      if (event._tag === "Funded") return event.isCovered ? "continue" : refuseUnmoved(facts, unfunded)
      break
    case "Work":
      return afterWork(step, event, facts)
    case "Advance":
      // The lease expired and another process holds the payment now, perhaps with a quote that it consumed, too. So
      // only what this call prepared is rolled back.
      if (event._tag === "Advanced") return event.advanced ? "continue" : [rollBackOwn, end(inProgress)]
      break
    case "Deliver":
      // Otherwise it took too long: another call delivered it, or a refund is due.
      if (event._tag === "Delivered") return event.delivered ? "continue" : findAgain
      break
    default:
      return afterSettlementStep(step, event, facts)
  }
  throw new ImpossibleTransition(step, event)
}

/** The plan with which a call begins. */
export const begin: Plan = findAgain

/** Which plan follows in a call. Handles every possible event; any other is an {@link ImpossibleTransition}. */
export const next = (plan: Plan, event: ChargeEvent, facts: ChargeFacts): Plan =>
  follow(plan, event, decide(plan[0], event, facts))
