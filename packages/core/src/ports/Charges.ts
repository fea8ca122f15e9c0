import { Context, Layer } from "effect"
import type { ChargeMethods } from "./ChargeMethods.ts"
import { makeMemoryCharges } from "./memory/MemoryCharges.ts"

export type * from "./Charge.ts"
export type { EntriesQuery, LedgerEntry, LedgerKind, LedgerTotal } from "./Ledger.ts"
export type { Refund, RefundLimit, RefundStart, RefundStop } from "./Refund.ts"
export type { RefundAttempt } from "./RefundAttempt.ts"

/**
 * Stores charges by key, and the ledger of the money that they moved. Each method is one atomic step (a
 * compare-and-set, never get-then-set) that returns whether it took effect: `false` means that another process holds
 * the charge or that it is past that state.
 */
export class Charges extends Context.Service<Charges, ChargeMethods>()("@till402/core/Charges") {
  /** Charges in memory: one thread runs each method as a whole, so each is atomic. */
  static readonly layerMemory: Layer.Layer<Charges> = Layer.sync(Charges, makeMemoryCharges)
}
