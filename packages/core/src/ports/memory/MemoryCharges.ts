import { Effect } from "effect"
import type { ChargeMethods } from "../ChargeMethods.ts"
import { dueMethods, leaseMethods, recordMethods } from "./MemoryChargeQueues.ts"
import { ChargeTable } from "./MemoryChargeTable.ts"
import { claimMethods } from "./MemoryClaims.ts"
import { MemoryLedger } from "./MemoryLedger.ts"
import { refundAttemptMethods } from "./MemoryRefundAttempts.ts"
import { refundMethods } from "./MemoryRefunds.ts"
import { settlementMethods } from "./MemorySettlements.ts"

/** Charges and ledger in this process's memory. */
export const makeMemoryCharges = (): ChargeMethods => {
  const table = new ChargeTable()
  const ledger = new MemoryLedger()
  return {
    ...claimMethods(table),
    ...settlementMethods(table, ledger),
    ...leaseMethods(table),
    ...dueMethods(table),
    ...recordMethods(table),
    ...refundMethods(table, ledger),
    ...refundAttemptMethods(table),
    entries: (query) => Effect.sync(() => ledger.entries(query)),
    totals: (fromMillis, beforeMillis) => Effect.sync(() => ledger.totals(fromMillis, beforeMillis))
  }
}
