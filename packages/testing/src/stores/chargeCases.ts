import { claimCases } from "./claimCases.ts"
import { repeatCases } from "./repeatCases.ts"
import { dueCases } from "./dueCases.ts"
import { exposureCases } from "./exposureCases.ts"
import { finalityCases } from "./finalityCases.ts"
import { chargeKeyCases } from "./keyCases.ts"
import { leaseCases } from "./leaseCases.ts"
import { ledgerCases } from "./ledgerCases.ts"
import { owedResponseCases } from "./owedResponseCases.ts"
import { refundAttemptCases } from "./refundAttemptCases.ts"
import { refundCases } from "./refundCases.ts"
import { retentionCases } from "./retentionCases.ts"
import { settledListCases } from "./settledListCases.ts"
import { settlementCases } from "./settlementCases.ts"
import { payerActivityCases } from "./payerActivityCases.ts"
import type { ChargeCase } from "./StoreCase.ts"
import { transferCases } from "./transferCases.ts"

/** Contract of `Charges`. */
export const chargeCases: ReadonlyArray<ChargeCase> = [
  ...claimCases,
  ...repeatCases,
  ...exposureCases,
  ...payerActivityCases,
  ...settlementCases,
  ...transferCases,
  ...finalityCases,
  ...owedResponseCases,
  ...leaseCases,
  ...dueCases,
  ...ledgerCases,
  ...refundCases,
  ...refundAttemptCases,
  ...retentionCases,
  ...settledListCases,
  ...chargeKeyCases
]
