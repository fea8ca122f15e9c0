import type { Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"

/**
 * What a ledger entry records: a payment settled, a refund became due, a refund was sent. `reversed`: a reorganization
 * undid the settlement, and with it the refund that was due, if any.
 */
export type LedgerKind = "settled" | "refund_due" | "refunded" | "reversed"

/** One line of the ledger. Appended in the same step as the fact that it records; never changed or deleted. */
export interface LedgerEntry {
  readonly kind: LedgerKind
  /** Names the payment: `chain:asset:payer:nonce`. */
  readonly chargeKey: string
  /** When it was entered, in milliseconds since the epoch. */
  readonly atMillis: number
  /** The operation that was paid for: `search`, `buy`, … */
  readonly operation: string
  /** CAIP-2. */
  readonly network: string
  /** Address of the stablecoin's contract. */
  readonly asset: string
  /** Address that paid, on EVM in lower case. */
  readonly payer: string
  /** Address that was paid. */
  readonly payTo: string
  /** Atomic units, in decimal digits. */
  readonly amountAtomic: string
  /** Hash of the transaction that moved the money, of `settled`, `reversed` and `refunded`. */
  readonly transaction: string | undefined
  /** Index of the transfer that proves a `settled` (or the `reversed` one); `undefined` if no chain was read. */
  readonly transferLogIndex: number | undefined
  /**
   * Settlements of this key that were reversed before: 0 for the first settlement, its refund and its reversal, 1 for
   * the second. Entries outlive their charge: a key that is released and claimed again continues the count. A further
   * refund of the same payment, which should never be, has the round after that of the last refund.
   */
  readonly round: number
}

/** The sum of the entries of one kind, day, operation, network and asset. */
export interface LedgerTotal {
  /** UTC: `2026-11-21`. */
  readonly day: string
  /** The operation that was paid for: `search`, `buy`, … */
  readonly operation: string
  /** CAIP-2. */
  readonly network: string
  /** Address of the stablecoin's contract. */
  readonly asset: string
  readonly kind: LedgerKind
  /** Number of entries. */
  readonly count: number
  /** Atomic units, in decimal digits. */
  readonly amountAtomic: string
}

/** Selects a page of the ledger. */
export interface EntriesQuery {
  /** Entries in the page. */
  readonly limit: number
  /** The last entry of the previous page. */
  readonly before?: Pick<LedgerEntry, "atMillis" | "chargeKey" | "kind" | "round">
  /** Only entries made at or after this time. */
  readonly fromMillis?: number
  /** Only entries made before this time. */
  readonly beforeMillis?: number
  /** Only entries of these charges. */
  readonly chargeKeys?: ReadonlyArray<string>
  /** CAIP-2: only entries of this network. */
  readonly network?: string
  /** Only entries of this payer, on EVM in lower case. */
  readonly payer?: string
}

/** The methods of `Charges` that read the ledger. */
export interface LedgerMethods {
  /** Lists entries, newest first, by `atMillis`, charge key, kind and round. */
  readonly entries: (query: EntriesQuery) => Effect.Effect<ReadonlyArray<LedgerEntry>, StoreError>
  /** Sums the entries made in a span (its end excluded) by day, operation, network, asset and kind. */
  readonly totals: (
    fromMillis: number,
    beforeMillis: number
  ) => Effect.Effect<ReadonlyArray<LedgerTotal>, StoreError>
}
