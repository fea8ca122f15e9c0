import { describe, expect, it } from "vitest"
import { brokenTills, firstDetecting } from "./BrokenTills.ts"
import type { DrawnOptions } from "./DrawnOptions.ts"
import { simulate } from "./simulate.ts"

/** Every broken till is detected within this many seeds, most within a tenth of them. */
const maxSeeds = 600

describe("a broken till", () => {
  for (const till of brokenTills) {
    const { firstSeed = 1, name, rail, symptom } = till
    it(`is detected on ${rail}: ${name}`, async () => {
      const foundIn = await firstDetecting(till, firstSeed, maxSeeds)
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
