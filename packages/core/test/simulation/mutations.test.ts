import { describe, expect, it } from "vitest"
import { mutations } from "./Mutations.ts"
import { simulate } from "./simulate.ts"

/** Every broken till is detected within this many seeds, most within a tenth of them. */
const maxSeeds = 600

describe("a broken till", () => {
  for (const [name, { firstSeed = 1, mutation, symptom }] of mutations) {
    it(`is detected: ${name}`, { timeout: 120_000 }, async () => {
      let foundIn: number | undefined
      for (let seed = firstSeed; seed < firstSeed + maxSeeds && foundIn === undefined; seed++) {
        const { violations } = await simulate(seed, "memory", mutation)
        if (violations.some((violation) => symptom.test(violation))) foundIn = seed
      }
      expect(foundIn, `no seed from ${firstSeed} on reports ${String(symptom)}`).toBeDefined()
    })
  }
})
