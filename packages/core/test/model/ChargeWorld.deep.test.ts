import { describe, expect, it } from "vitest"
import { chargeModel } from "./ChargeModel.ts"
import { explore, tell } from "./Checker.ts"
import { documentedDiagram, nameOfCharge, recordTransitions, transitionsIn } from "./stateDiagram.ts"
import { deepWorlds } from "./worlds.ts"

describe("the charge machine in every reachable state of larger worlds", () => {
  const found = new Set<string>()

  it.each(deepWorlds.map((world) => [world.name, world] as const))("%s", (_, world) => {
    const model = recordTransitions(chargeModel(world), nameOfCharge, found)
    const { finals, isComplete, stories } = explore(model)
    expect(stories.map(tell)).toEqual([])
    expect(isComplete).toBe(true)
    expect(finals).toBeGreaterThan(0)
  })

  it("has the transitions of the diagram in the documents, and no others", () => {
    expect([...found].toSorted()).toEqual(transitionsIn(documentedDiagram("charge")))
  })
})
