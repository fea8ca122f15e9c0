/** A charge as the till lists it at the end. */
export interface ChargeEntry {
  /** `chain:asset:payer:nonce`. */
  readonly key: string
  readonly state: string
  /** Atomic units, in decimal digits. */
  readonly amountAtomic: string
  readonly transaction?: string | undefined
  readonly refund?: string | undefined
}

export interface OrderEntry {
  readonly id: string
  readonly email: string
  readonly status: string
}

export interface PurchaseEntry {
  readonly id: string
  readonly email: string
  readonly status: string
}

/** The servers' final records, read from their store. */
export interface Books {
  readonly charges: ReadonlyArray<ChargeEntry>
  readonly orders: ReadonlyArray<OrderEntry>
  readonly purchases: ReadonlyArray<PurchaseEntry>
  /** Sum of the ledger's `settled` entries: atomic units, in decimal digits. */
  readonly ledgerAtomic: string
  /** The same of its `refunded` entries. */
  readonly refundedAtomic: string
  /** Faults found by the till's own ledger audit; in a long run compared with the chain, too. */
  readonly bookFaults: ReadonlyArray<string>
}
