import type { FacilitatorRoute, Verification } from "../facilitator/Facilitator.ts"
import {
  findAgain,
  defer,
  end,
  expired,
  failed,
  firstSettle,
  inProgress,
  pending,
  refused,
  unfunded,
  unverifiable
} from "./Endings.ts"
import {
  type ChargeEvent,
  type ChargeFacts,
  type ChargeStep,
  type Ending,
  ImpossibleTransition,
  type KeyState,
  type RequestStep
} from "./ChargeStep.ts"
import { decideReplay } from "./ReplayDecision.ts"
import { afterSettlementStep, afterTakeover } from "./SettlementMachine.ts"
import type { PayableTask } from "./SettlementTask.ts"

/*
 * The life of a charge, as a pure machine. A step names the next thing to do, an event is its result, and `next`
 * returns the step that follows. The paid call and the reconciler only perform steps, so every order of events can be
 * tested without side effects.
 */

const afterFinding = (
  { copyRefusal, found, nowMillis, patient }: Extract<ChargeEvent, { _tag: "Found" }>,
  { instead, orVoided = false }: Omit<Extract<RequestStep, { _tag: "Find" }>, "_tag"> = {}
): ChargeStep => {
  // The caller of a copy has read that nothing was charged, so the payment buys nothing here either.
  const copy: Ending | undefined =
    copyRefusal === undefined ? undefined : { _tag: "Refused", refusal: copyRefusal }
  if (found === undefined) {
    const ending = instead ?? copy
    return ending === undefined ? { _tag: "Judge", key: "free" } : end(ending)
  }
  const { charge, presented } = found
  const ending = orVoided ? (instead ?? copy) : copy
  if (ending !== undefined && charge.state === "voided" && charge.leaseUntilMillis <= nowMillis)
    return end(ending)
  const decision = decideReplay(charge, presented, nowMillis)
  switch (decision._tag) {
    case "Refuse":
      return end({ _tag: "Refused", refusal: decision.refusal })
    case "Replay":
      return end({ _tag: "Replay", charge })
    case "TakeOver":
      return charge.state === "claimed" || charge.state === "voided"
        ? { _tag: "TakeOver", isUnsettled: true }
        : { _tag: "TakeOver" }
    case "Wait":
      return patient ? { _tag: "Wait" } : end(inProgress)
  }
}

/** What follows a claim: the settlement of payments that settle first, else the work. */
const afterClaim = (facts: ChargeFacts): ChargeStep =>
  facts.workIsDue ? { _tag: "Record" } : { _tag: "Work" }

/** Records the facilitator that has to settle the payment. */
const routed = (task: PayableTask, route: FacilitatorRoute | undefined): PayableTask =>
  route === undefined ? task : { ...task, request: { ...task.request, route } }

const verified = (
  verification: Verification,
  { key, task }: { readonly key: KeyState; readonly task: PayableTask }
): ChargeStep => {
  switch (verification._tag) {
    case "Valid":
      return { _tag: "Claim", key, task: routed(task, verification.route) }
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
const refuse = (ending: Ending, key: KeyState): ChargeStep =>
  key === "held"
    ? { _tag: "Defer", reason: undefined, nextCheck: "expiry", thenFind: true, ending }
    : { _tag: "Find", instead: ending }

const limited: Ending = { _tag: "Limited" }

/** Ends a call that can't claim now; its payment may be a copy of one that bought something. */
const endUnclaimed = (ending: Ending, key: KeyState): ChargeStep =>
  key === "held" ? defer(ending) : end(ending)

const afterWork = (
  step: Extract<RequestStep, { _tag: "Work" }>,
  event: ChargeEvent,
  facts: ChargeFacts
): ChargeStep => {
  const { paid } = step
  if (event._tag === "WorkFailed") {
    if (paid !== undefined) return { _tag: "EndLease", ending: { _tag: "Owed", ...paid } }
    const { refusal } = event
    const ending: Ending = refusal === undefined ? failed : { _tag: "Refused", refusal }
    return { _tag: "Void", keepsExposure: false, ending }
  }
  if (event._tag !== "Worked") throw new ImpossibleTransition(step, event)
  const { nowSeconds, work } = event
  if (paid !== undefined) return { _tag: "Deliver", paid, work }
  return nowSeconds > facts.validBeforeSeconds
    ? { _tag: "Void", keepsExposure: false, ending: expired }
    : { _tag: "Record", work }
}

const afterRequestStep = (step: RequestStep, event: ChargeEvent, facts: ChargeFacts): ChargeStep => {
  switch (step._tag) {
    case "Find":
      if (event._tag === "Found") return afterFinding(event, step)
      break
    case "Wait":
      if (event._tag === "Waited") return findAgain
      break
    case "TakeOver":
      if (event._tag === "Taken") return afterTakeover(event, facts)
      if (event._tag === "Overtaken") return findAgain
      if (event._tag === "Exhausted") return end(step.isUnsettled === true ? inProgress : pending)
      break
    case "Judge":
      if (event._tag === "Refused") return refuse({ _tag: "Refused", refusal: event.refusal }, step.key)
      if (event._tag === "Accepted") return { _tag: "Verify", key: step.key, task: event.task }
      if (event._tag === "Limited") return endUnclaimed(limited, step.key)
      break
    case "Verify":
      if (event._tag === "Verified") return verified(event.verification, step)
      // A call that holds the charge doesn't wait: its copies would wait for its lease.
      if (event._tag === "Busy")
        return event.patient && step.key === "free" ? { _tag: "Wait" } : endUnclaimed(inProgress, step.key)
      if (event._tag === "Limited") return endUnclaimed(limited, step.key)
      break
    case "Claim":
      if (event._tag === "Claimed")
        return facts.canReadChain
          ? { _tag: "CheckFunds", task: step.task, claimedAtMillis: event.claimedAtMillis }
          : afterClaim(facts)
      if (event._tag === "Found") return afterFinding(event)
      if (event._tag === "Limited")
        return event.patient
          ? { _tag: "Queue", key: step.key, task: step.task }
          : endUnclaimed(limited, step.key)
      break
    case "Queue":
      if (event._tag === "Waited") return { _tag: "Claim", key: step.key, task: step.task }
      break
    case "CheckFunds":
      if (event._tag === "Funded")
        // The balance may be too low because this same payment has left it.
        return event.isCovered
          ? afterClaim(facts)
          : { _tag: "Void", keepsExposure: false, isOpen: true, ending: unfunded }
      break
    case "Work":
      return afterWork(step, event, facts)
    case "Record":
      if (event._tag === "Recorded")
        // The lease expired and another process holds the payment now, perhaps with a quote that it consumed, too. So
        // only what this call prepared is rolled back.
        return event.recorded
          ? firstSettle
          : { _tag: "RollBack", whole: false, thenDelete: false, ending: inProgress }
      break
    case "Deliver":
      // Otherwise it took too long: another call delivered it, or a refund is due.
      if (event._tag === "Delivered")
        return event.delivered ? end({ _tag: "Paid", receipt: step.paid.receipt }) : findAgain
      break
  }
  throw new ImpossibleTransition(step, event)
}

/** Which step follows in a call. Handles every possible event; any other is an {@link ImpossibleTransition}. */
export const next = (step: ChargeStep, event: ChargeEvent, facts: ChargeFacts): ChargeStep => {
  switch (step._tag) {
    case "End":
      throw new ImpossibleTransition(step, event)
    case "Find":
    case "Wait":
    case "TakeOver":
    case "Judge":
    case "Verify":
    case "Claim":
    case "Queue":
    case "CheckFunds":
    case "Work":
    case "Record":
    case "Deliver":
      return afterRequestStep(step, event, facts)
    default:
      return afterSettlementStep(step, event, facts)
  }
}
