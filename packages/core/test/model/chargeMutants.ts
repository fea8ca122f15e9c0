import type { ChargeStep, EndStep, SettlementStep } from "../../src/toll/machine/ChargeStep.ts"
import { type Machines, realMachines } from "./ChargeModel.ts"
import { decidingMutants } from "./decidingMutants.ts"
import type { Given, Mutant } from "./Mutant.ts"
import { readingMutants } from "./readingMutants.ts"

/*
 * The mutants of the charge machine. One that no world notices names what the worlds lack: `survives` explains it.
 */

export const chargeMutants: ReadonlyArray<Mutant> = [...readingMutants, ...decidingMutants]

const isSettlementStep = (step: ChargeStep): step is SettlementStep | EndStep =>
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
