import { describe, expect, it } from "vitest"
import { chargeModel } from "./ChargeModel.ts"
import { explore, tell } from "./Checker.ts"
import { documentedDiagram, nameOfCharge, recordTransitions, transitionsIn } from "./stateDiagram.ts"
import { quickWorlds } from "./worlds.ts"

describe("the charge machine in every reachable state", () => {
  const found = new Set<string>()

  it.each(quickWorlds.map((world) => [world.name, world] as const))("%s", (_, world) => {
    const model = recordTransitions(chargeModel(world), nameOfCharge, found)
    const { finals, isComplete, stories } = explore(model)
    expect(stories.map(tell)).toEqual([])
    expect(isComplete).toBe(true)
    expect(finals).toBeGreaterThan(0)
  })

  it("has no transition that the diagram in the documents lacks", () => {
    expect(found.size).toBeGreaterThan(0)
    expect(transitionsIn(documentedDiagram("charge"))).toEqual(expect.arrayContaining([...found]))
  })
})
