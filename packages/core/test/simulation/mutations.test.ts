import { describe, expect, it } from "vitest"
import { type BrokenTill, mutations } from "./Mutations.ts"
import { simulate } from "./simulate.ts"
import { solanaMutations } from "./solana/SolanaMutations.ts"

/*
 * The simulation can fail: some broken tills, each detected in its first seeds. `mutations.deep.test.ts` has all of them.
 */

const maxSeeds = 100

const chosen: ReadonlyArray<readonly [name: string, rail: "evm" | "solana", till: BrokenTill]> = [
  ["signatureDropped", "evm", mutations.get("signatureDropped")!],
  ["walletsUnrecorded", "evm", mutations.get("walletsUnrecorded")!],
  ["failureIgnored", "solana", solanaMutations["failureIgnored"]!]
]

describe("a broken till", () => {
  it.each(chosen)("is detected: %s on %s", async (_, rail, { firstSeed = 1, mutation, symptom }) => {
    const reported: Array<string> = []
    for (
      let seed = firstSeed;
      seed < firstSeed + maxSeeds && !reported.some((text) => symptom.test(text));
      seed++
    )
      reported.push(...(await simulate(seed, "memory", { mutation, rail })).violations)
    expect(reported.join("\n")).toMatch(symptom)
  })
})
