import { describe, expect, it } from "vitest"
import { explore, tell } from "./Checker.ts"
import { orderModel } from "./OrderModel.ts"
import { orderMutants } from "./orderMutants.ts"
import { orderWorlds } from "./orderWorlds.ts"

describe("the order machine in every reachable state", () => {
  it.each(orderWorlds.map((world) => [world.name, world] as const))("%s", (_, world) => {
    const { finals, isComplete, stories } = explore(orderModel(world))
    expect(stories.map(tell)).toEqual([])
    expect(isComplete).toBe(true)
    expect(finals).toBeGreaterThan(0)
  })

  it("notices each mutant", () => {
    const limits = { maxStates: 3_000_000, firstOnly: true }
    const unnoticed = orderMutants.filter(({ machines }) =>
      orderWorlds.every((world) => explore(orderModel(world, machines), limits).stories.length === 0)
    )
    expect(unnoticed.map(({ name }) => name)).toEqual([])
  })
})
