import type { ReconcilerPlan, Plan } from "../../src/toll/machine/ChargeStep.ts"
import { isReconcilerPlan } from "../toll/machine/nextStep.ts"
import { type Machines, realMachines } from "./ChargeModel.ts"
import { decidingMutants } from "./decidingMutants.ts"
import type { Given, Mutant } from "./Mutant.ts"
import { readingMutants } from "./readingMutants.ts"

/*
 * The mutants of the charge machine. One that no world notices names what the worlds lack: `survives` explains it.
 */

export const chargeMutants: ReadonlyArray<Mutant> = [...readingMutants, ...decidingMutants]

/** The machines with a mutant in them. */
export const mutate = ({ decides, reads }: Mutant): Machines => {
  const read = (given: Given): Given => reads?.(given) ?? given
  const decide = (decided: Plan, given: Given): Plan => decides?.(decided, given) ?? decided
  const underLease = (plan: Plan): ReconcilerPlan => {
    if (!isReconcilerPlan(plan)) throw new Error(`a reconciler can't perform ${plan[0]._tag}`)
    return plan
  }
  return {
    next: (plan, event, given) => {
      const changed = read({ plan, event, facts: given })
      return decide(realMachines.next(changed.plan, changed.event, changed.facts), changed)
    },
    beginInReconciler: (event, given) => {
      const changed = read({ plan: [{ _tag: "TakeOver" }], event, facts: given })
      if (changed.event._tag !== "Taken") throw new Error("a reconciler begins with a takeover")
      return underLease(decide(realMachines.beginInReconciler(changed.event, changed.facts), changed))
    },
    nextInReconciler: (plan, event, given) => {
      const changed = read({ plan, event, facts: given })
      const decided = realMachines.nextInReconciler(underLease(changed.plan), changed.event, changed.facts)
      return underLease(decide(decided, changed))
    }
  }
}
