import { describe, expect, it } from "vitest"
import { chargeModel } from "./ChargeModel.ts"
import { explore } from "./Checker.ts"
import { chargeMutants, mutate } from "./chargeMutants.ts"
import { deepWorlds, quickWorlds } from "./worlds.ts"

const worlds = [...quickWorlds, ...deepWorlds]
const noticed = chargeMutants.filter(({ noticedBy }) => noticedBy !== undefined)

describe("mutants of the charge machine", () => {
  it("are noticed, nine of ten at least, and each survivor is explained", () => {
    const unexplained = chargeMutants.filter(
      ({ noticedBy, survives }) => noticedBy === undefined && survives === undefined
    )
    expect(unexplained.map(({ name }) => name)).toEqual([])
    expect(noticed.length / chargeMutants.length).toBeGreaterThanOrEqual(0.9)
  })

  it.each(noticed.map((mutant) => [mutant.name, mutant] as const))("%s", (_, mutant) => {
    const world = worlds.find(({ name }) => name === mutant.noticedBy)
    expect(world).toBeDefined()
    const limits = { maxStates: 3_000_000, firstOnly: true }
    expect(explore(chargeModel(world!, mutate(mutant)), limits).stories).not.toEqual([])
  })
})
