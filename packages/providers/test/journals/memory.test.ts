import { memoryPlacements } from "@till402/providers/rye"
import { memoryJournal } from "@till402/providers/treasury"
import { describe, it } from "vitest"
import { journalCases } from "./contract.ts"

describe("journals in memory", () => {
  it.each(journalCases)("$name", async ({ run }) => {
    const opening = { payments: memoryJournal(), placements: memoryPlacements() }
    await run(opening, opening)
  })
})
