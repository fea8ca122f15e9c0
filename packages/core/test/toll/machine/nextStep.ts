import { next as nextInCall } from "../../../src/toll/machine/ChargeMachine.ts"
import type { ChargeEvent, ChargeFacts, ChargeStep } from "../../../src/toll/machine/ChargeStep.ts"
import { beginInReconciler, nextInReconciler } from "../../../src/toll/machine/SettlementMachine.ts"

/** Which step follows, in the call or the reconciler that the facts name. */
export const next = (step: ChargeStep, event: ChargeEvent, facts: ChargeFacts): ChargeStep => {
  if (facts.by === "call") return nextInCall(step, event, facts)
  switch (step._tag) {
    case "TakeOver":
      if (event._tag === "Overtaken") return { _tag: "End", ending: { _tag: "Closed" } }
      return event._tag === "Taken" ? beginInReconciler(event, facts) : nextInCall(step, event, facts)
    case "End":
    case "Find":
    case "Wait":
    case "Judge":
    case "Verify":
    case "Claim":
    case "Queue":
    case "CheckFunds":
    case "Work":
    case "Record":
    case "Deliver":
      return nextInCall(step, event, facts)
    default:
      return nextInReconciler(step, event, facts)
  }
}
