import { describe, expect, it } from "vitest"
import { explore, tell } from "./Checker.ts"
import { orderModel } from "./OrderModel.ts"
import { deepOrderWorlds } from "./orderWorlds.ts"

describe("the order machine in every reachable state, with two workers", () => {
  it.each(deepOrderWorlds.map((world) => [world.name, world] as const))("%s", (_, world) => {
    const { finals, isComplete, stories } = explore(orderModel(world))
    expect(stories.map(tell)).toEqual([])
    expect(isComplete).toBe(true)
    expect(finals).toBeGreaterThan(0)
  })
})
