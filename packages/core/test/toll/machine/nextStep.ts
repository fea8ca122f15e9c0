import { next as nextInCall } from "../../../src/toll/machine/ChargeMachine.ts"
import type {
  ChargeEvent,
  ChargeFacts,
  ChargeStep,
  ReconcilerPlan,
  Plan,
  RequestStep
} from "../../../src/toll/machine/ChargeStep.ts"
import { beginInReconciler, nextInReconciler } from "../../../src/toll/machine/SettlementMachine.ts"

// A record, so that a step that is missing doesn't compile.
const requestTags: Readonly<Record<RequestStep["_tag"], true>> = {
  Find: true,
  FindCopy: true,
  Wait: true,
  TakeOver: true,
  Judge: true,
  Verify: true,
  Claim: true,
  ClaimRefused: true,
  Queue: true,
  CheckFunds: true,
  Work: true,
  Advance: true,
  Deliver: true
}

export const isRequestStep = (step: ChargeStep): step is RequestStep => step._tag in requestTags

/** Whether a plan begins with a step that the reconciler performs, too. */
export const isReconcilerPlan = (plan: Plan): plan is ReconcilerPlan => !isRequestStep(plan[0])

/** Which plan follows, in the call or the reconciler that the facts name. */
export const next = (plan: Plan, event: ChargeEvent, facts: ChargeFacts): Plan => {
  if (facts.by === "reconciler") {
    if (isReconcilerPlan(plan)) return nextInReconciler(plan, event, facts)
    if (plan[0]._tag === "TakeOver" && event._tag === "Taken") return beginInReconciler(event, facts)
    if (plan[0]._tag === "TakeOver" && event._tag === "Overtaken")
      return [{ _tag: "End", ending: { _tag: "Closed" } }]
  }
  return nextInCall(plan, event, facts)
}
