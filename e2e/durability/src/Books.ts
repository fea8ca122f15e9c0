/** A charge as the till lists it in the end. */
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

/** What the servers say in the end, read from their store. */
export interface Books {
  readonly charges: ReadonlyArray<ChargeEntry>
  readonly orders: ReadonlyArray<OrderEntry>
  readonly purchases: ReadonlyArray<PurchaseEntry>
  /** Sum of the ledger's `settled` entries: atomic units, in decimal digits. */
  readonly ledgerAtomic: string
  /** What the till's own check of its books found. */
  readonly bookFaults: ReadonlyArray<string>
}
