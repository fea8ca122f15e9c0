import { claimCases } from "./claimCases.ts"
import { dueCases } from "./dueCases.ts"
import { exposureCases } from "./exposureCases.ts"
import { finalityCases } from "./finalityCases.ts"
import { leaseCases } from "./leaseCases.ts"
import { ledgerCases } from "./ledgerCases.ts"
import { owedCases } from "./owedCases.ts"
import { refundCases } from "./refundCases.ts"
import { retentionCases } from "./retentionCases.ts"
import { settlementCases } from "./settlementCases.ts"
import { standingCases } from "./standingCases.ts"
import type { StoreCase } from "./StoreCase.ts"
import { transferCases } from "./transferCases.ts"

/** What `Charges` promises. */
export const chargeCases: ReadonlyArray<StoreCase> = [
  ...claimCases,
  ...exposureCases,
  ...standingCases,
  ...settlementCases,
  ...transferCases,
  ...finalityCases,
  ...owedCases,
  ...leaseCases,
  ...dueCases,
  ...ledgerCases,
  ...refundCases,
  ...retentionCases
]
