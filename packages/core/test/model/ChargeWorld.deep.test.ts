import { describe, expect, it } from "vitest"
import { chargeModel } from "./ChargeModel.ts"
import { explore, tell } from "./Checker.ts"
import { deepWorlds } from "./worlds.ts"

describe("the charge machine in every reachable state of larger worlds", () => {
  it.each(deepWorlds.map((world) => [world.name, world] as const))("%s", (_, world) => {
    const { finals, isComplete, stories } = explore(chargeModel(world))
    expect(stories.map(tell)).toEqual([])
    expect(isComplete).toBe(true)
    expect(finals).toBeGreaterThan(0)
  })
})
