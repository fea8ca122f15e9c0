import { claimCases } from "./claimCases.ts"
import { leaseCases } from "./leaseCases.ts"
import { ledgerCases } from "./ledgerCases.ts"
import { retentionCases } from "./retentionCases.ts"
import { settlementCases } from "./settlementCases.ts"
import type { StoreCase } from "./StoreCase.ts"

/** What `Charges` promises. */
export const chargeCases: ReadonlyArray<StoreCase> = [
  ...claimCases,
  ...settlementCases,
  ...leaseCases,
  ...ledgerCases,
  ...retentionCases
]
