import { memorySettlementJournal } from "@till402/providers/facilitator"
import { memoryPlacementJournal } from "@till402/providers/rye"
import { memoryTransferJournal } from "@till402/providers/solana-refunds"
import { describe, it } from "vitest"
import { journalCases } from "./contract.ts"
import { settlementCases } from "./settlementCases.ts"

describe("journals in memory", () => {
  it.each(journalCases)("$name", async ({ run }) => {
    const opening = {
      placements: memoryPlacementJournal(),
      transfers: memoryTransferJournal()
    }
    await run(opening, opening)
  })

  it.each(settlementCases)("$name", async ({ run }) => {
    const journal = memorySettlementJournal()
    await run(journal, journal)
  })
})
