import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { ChargeFacts, Plan } from "../../../src/toll/machine/ChargeStep.ts"
import { eventsOf, everyFacts } from "./chargePaths.ts"
import { next } from "./nextStep.ts"

/*
 * The diagram of ChargeMachine.ts, compared with the machine. A row proves that its path may occur, not that no other
 * does.
 */

const source = readFileSync(new URL("../../../src/toll/machine/ChargeMachine.ts", import.meta.url), "utf8")
const rows = Array.from(
  source.matchAll(/^ \* (.+?) {2,}(\w+(?:(?: ─▶ |, )\w+)+)$/gm),
  ([, name, life]) => [name!, life!] as const
)

/** The plans that may follow a plan. */
const following = (plan: Plan, facts: ChargeFacts): ReadonlyArray<Plan> =>
  [0, 1].flatMap((rounds) => eventsOf(plan[0], rounds, false).map((event) => next(plan, event, facts)))

/** Every plan that can be reached, each once. */
const plansOf = (facts: ChargeFacts): ReadonlyArray<Plan> => {
  const plans = new Map<string, Plan>()
  const add = (plan: Plan): void => {
    const key = JSON.stringify(plan)
    if (plans.has(key)) return
    plans.set(key, plan)
    for (const after of following(plan, facts)) add(after)
  }
  add(
    facts.by === "call"
      ? [{ _tag: "Find" }]
      : [{ _tag: "TakeOver" }, { _tag: "End", ending: { _tag: "Closed" } }]
  )
  return Array.from(plans.values())
}

/** Whether a life can go on from a plan as the diagram says. */
const isLived = (plan: Plan, [arrow, tag, ...rest]: ReadonlyArray<string>, facts: ChargeFacts): boolean => {
  if (arrow === undefined) return true
  return following(plan, facts).some(
    (after) =>
      after[0]._tag === tag &&
      (JSON.stringify(after) === JSON.stringify(plan.slice(1))) === (arrow === ",") &&
      isLived(after, rest, facts)
  )
}

describe("the diagram of the charge machine", () => {
  it("has a row for each part of a life", () => {
    expect(rows.length).toBeGreaterThan(10)
  })

  it.each(rows)("%s: %s", (_, life) => {
    const [first, ...rest] = life.split(/ (─▶) |(,) /).filter((part) => part !== undefined)
    const isTrue = everyFacts.some((facts) =>
      plansOf(facts).some((plan) => plan[0]._tag === first && isLived(plan, rest, facts))
    )
    expect(isTrue).toBe(true)
  })
})
