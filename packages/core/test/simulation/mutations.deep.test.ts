import { describe, expect, it } from "vitest"
import type { DrawnOptions } from "./DrawnOptions.ts"
import { facilitatorMutations } from "./FacilitatorMutations.ts"
import { mutations } from "./Mutations.ts"
import { simulate } from "./simulate.ts"
import { solanaMutations } from "./solana/SolanaMutations.ts"

/** Every broken till is detected within this many seeds, most within a tenth of them. */
const maxSeeds = 600

const all = [
  ...Array.from(mutations, ([name, till]) => ({ name, rail: "evm" as const, ...till })),
  ...Object.entries(facilitatorMutations).map(([name, till]) => ({ name, rail: "evm" as const, ...till })),
  ...Object.entries(solanaMutations).map(([name, till]) => ({ name, rail: "solana" as const, ...till }))
]

describe("a broken till", () => {
  for (const { firstSeed = 1, mutation, name, rail, symptom, world } of all) {
    it(`is detected on ${rail}: ${name}`, async () => {
      let foundIn: number | undefined
      for (let seed = firstSeed; seed < firstSeed + maxSeeds && foundIn === undefined; seed++) {
        const { violations } = await simulate(seed, "memory", { mutation, rail, world })
        if (violations.some((violation) => symptom.test(violation))) foundIn = seed
      }
      expect(foundIn, `no seed from ${firstSeed} on reports ${String(symptom)}`).toBeDefined()
    })
  }
})

describe("a database that confirms what it may lose", () => {
  it("is detected: it confirms an advance before it is on the disk", async () => {
    const isFlushed = (operation: string) => !["charges.claim", "charges.advance"].includes(operation)
    // A machine that fails often: otherwise the moment between a write and its flush is rarely met.
    const world = (drawn: DrawnOptions) => ({ ...drawn, powerFailures: { times: 4, chance: 0.5 } })
    let foundIn: number | undefined
    for (let seed = 1; seed < maxSeeds && foundIn === undefined; seed++) {
      const { violations } = await simulate(seed, "memory", { isFlushed, world })
      if (violations.some((violation) => /its money has moved/.test(violation))) foundIn = seed
    }
    expect(foundIn).toBeDefined()
  })
})
