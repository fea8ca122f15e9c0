import type { IncomingRequest, PlainResponse } from "./Exchange.ts"
import type { VaultItem } from "./domain/Vault.ts"
import type { ChargeState, LedgerEntry, LedgerTotal } from "./ports/Charges.ts"
import type { HostOrders } from "./orders/OrderApi.ts"
import type { LedgerCheck } from "./toll/LedgerAudit.ts"
import type { Reconciliation } from "./toll/Reconcile.ts"

/** What a server knows of who sent a request, beside the request. */
export interface Caller {
  /** Network address, for the budget of unpaid quotes; adapters give the one their framework says. */
  readonly clientAddress?: string | undefined
}

/** A running till: what `Till.make` gives and adapters mount. */
export interface RunningTill {
  /** Answers one request for a path below the mount. Never rejects. */
  readonly fetch: (request: Request, caller?: Caller) => Promise<Response>
  /**
   * The same for a server that has no web `Request`: adapters of Node's frameworks spare both conversions. What a
   * host's public route answers comes as it is.
   */
  readonly answer: (request: IncomingRequest, caller?: Caller) => Promise<PlainResponse | Response>
  /** Whether a path (with or without the prefix of `baseUrl`) is the till's to answer; others are the host's. */
  readonly handles: (pathname: string) => boolean
  /** Resolves when storage is open and migrated; rejects with a readable error otherwise. */
  readonly ready: Promise<void>
  /** Lets running calls end (bounded), then closes storage. */
  readonly dispose: () => Promise<void>
  /**
   * Finishes what dead processes left, and tries what is unknown at once; every process does the same by
   * itself every 15 seconds, with pauses that grow. Answers how many charges were settled, and how many are
   * still unknown. At most 100 of each at a time.
   */
  readonly reconcile: () => Promise<Reconciliation>
  readonly orders: HostOrders
  readonly charges: {
    /** Newest first; `before` is the last charge of the page before. */
    readonly list: (options?: {
      readonly limit?: number
      readonly state?: ChargeState
      readonly before?: Pick<ChargeSummary, "createdAt" | "key">
    }) => Promise<ReadonlyArray<ChargeSummary>>
    /** Records that a refund which was due has been sent; `false` where none is due. */
    readonly recordRefund: (key: string, transaction: string) => Promise<boolean>
  }
  readonly ledger: {
    /** The entries, newest first; `before` is the last entry of the page before. */
    readonly list: (options?: {
      readonly limit?: number
      readonly from?: Date
      readonly to?: Date
      readonly before?: LedgerLine
    }) => Promise<ReadonlyArray<LedgerLine>>
    /** Sums by UTC day, operation, network, asset and kind, `from` included and `to` not. */
    readonly totals: (span: { readonly from: Date; readonly to: Date }) => Promise<ReadonlyArray<LedgerSum>>
    /**
     * Checks that settled charges, recorded receipts, ledger entries, and responses or refunds agree, and that no
     * refund exceeds what was received; reads the whole span page by page. Default: the last seven days.
     *
     * With `chain: true` it also reads the transfers to `payTo` on each network with an `rpcUrl`. A settled entry that
     * isn't exactly one transfer is a fault; a transfer that isn't an entry is reported as foreign.
     */
    readonly check: (options?: {
      readonly from?: Date
      readonly to?: Date
      readonly chain?: boolean
    }) => Promise<LedgerCheck>
  }
  /** Whether refunds are sent. The till stops them by itself where ledger and chain contradict each other. */
  readonly refunds: {
    readonly status: () => Promise<RefundStatus>
    /** Stops all refunds, in every process, until they are resumed; `false` where they were stopped already. */
    readonly stop: (reason: string) => Promise<boolean>
    /** Lets refunds be sent again; `false` where they were not stopped. */
    readonly resume: () => Promise<boolean>
  }
  /** The vault's shelf. */
  readonly vault: { readonly put: (item: VaultItem) => Promise<void> }
}

/** Whether refunds are stopped; `reason` is the till's own (see the docs of refunds) or an operator's text. */
export interface RefundStatus {
  readonly stopped: { readonly reason: string; readonly at: Date } | undefined
}

/** A charge for the host's books; no payload, answer or token in it. */
export interface ChargeSummary {
  readonly key: string
  readonly operation: string
  /** CAIP-2. */
  readonly network: string
  readonly payer: string
  readonly payTo: string
  readonly amountAtomic: bigint
  /**
   * `claimed`: work is under way. `ready`: the answer stands, settlement is under way or its outcome not
   * known. `settled`: paid. `voided`: nothing came of it; watched until the payment can't move any more.
   */
  readonly state: ChargeState
  /** Of the settlement. */
  readonly transaction: string | undefined
  readonly refund: "due" | "sent" | undefined
  /** How often its outcome was looked for in vain. */
  readonly attempts: number
  readonly createdAt: Date
  readonly settledAt: Date | undefined
}

/** One entry of the ledger. Its `transaction` is that of `settled` and `refunded`. */
export interface LedgerLine extends Omit<LedgerEntry, "amountAtomic" | "atMillis"> {
  readonly amountAtomic: bigint
  readonly at: Date
}

/** Entries of one day, operation, network, asset and kind, summed. */
export interface LedgerSum extends Omit<LedgerTotal, "amountAtomic"> {
  readonly amountAtomic: bigint
}
