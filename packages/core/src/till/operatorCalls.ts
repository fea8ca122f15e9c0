import type { VaultItem, VaultPage } from "../shop/goods/VaultItem.ts"
import type { ArchiveFacts, ArchiveVersion, Publication, VaultListing } from "../shop/goods/VaultListing.ts"
import type { VaultPurchase } from "../shop/ports/VaultPurchases.ts"
import { type PurchaseQuery, type VaultListQuery, VaultOperator } from "../shop/vault/VaultOperator.ts"
import { type ChargeQuery, type ChargeSummary, ChargeOperator } from "../operators/ChargeOperator.ts"
import { exportedText } from "../operators/exportedText.ts"
import type { HostOrders } from "../shop/orders/HostOrders.ts"
import type { ChangeFeed } from "../shop/orders/OrderChanges.ts"
import { toHostOrders } from "../shop/orders/toHostOrders.ts"
import {
  type LedgerCheckQuery,
  type LedgerExportQuery,
  type LedgerLine,
  LedgerOperator,
  type LedgerQuery,
  type LedgerSum
} from "../operators/LedgerOperator.ts"
import {
  type DueRefund,
  type DueRefundQuery,
  RefundOperator,
  type RefundStatus
} from "../operators/RefundOperator.ts"
import type { LedgerAudit } from "../toll/audit/LedgerAudit.ts"
import { Effect } from "effect"
import type { Operators } from "./assemble.ts"
import type { KeyOperator } from "./keyCheck.ts"

/** What operators of a till read and correct. */
export interface OperatorCalls {
  readonly orders: HostOrders
  readonly charges: {
    /** Finds a charge by its key. */
    readonly find: (key: string) => Promise<ChargeSummary | undefined>
    /** Lists charges, newest first, e.g. those of a payer or of a transaction. */
    readonly list: (query?: ChargeQuery) => Promise<ReadonlyArray<ChargeSummary>>
    /**
     * Records that a refund which was due has been sent by other means. `false` if none is due, or if the wallet
     * may be sending it: it has started, and refunds have not been stopped for 90 minutes.
     */
    readonly recordRefund: (key: string, transaction: string) => Promise<boolean>
  }
  readonly ledger: {
    /** Lists entries, newest first. */
    readonly list: (query?: LedgerQuery) => Promise<ReadonlyArray<LedgerLine>>
    /** Sums by UTC day, operation, network, asset and kind, `from` included and `to` not. */
    readonly totals: (span: { readonly from: Date; readonly to: Date }) => Promise<ReadonlyArray<LedgerSum>>
    /**
     * Checks that settled charges, recorded receipts, ledger entries, and responses or refunds agree, and that no
     * refund exceeds what was received; reads the whole span page by page. Default: the last seven days.
     *
     * With `chain: true` it also reads the transfers to `payTo` on each network with an `rpcUrl`. A settled entry that
     * isn't exactly one transfer is a fault; a transfer that isn't an entry is reported as foreign.
     */
    readonly check: (query?: LedgerCheckQuery) => Promise<LedgerAudit>
    /**
     * Exports entries, newest first, as text in pieces: a JSON array, or CSV with a header row (RFC 4180). Amounts are
     * exact decimal text in dollars, times ISO 8601 in UTC; `from` is included and `to` isn't.
     *
     * @example
     * for await (const piece of till.ledger.export({ format: "csv", from: new Date("2026-01-01") }))
     *   process.stdout.write(piece)
     */
    readonly export: (query: LedgerExportQuery) => AsyncIterableIterator<string>
  }
  /** Whether refunds are sent. The till stops them itself if ledger and chain contradict each other. */
  readonly refunds: {
    readonly status: () => Promise<RefundStatus>
    /**
     * Lists the refunds that are due and not sent yet, newest payment first: to whom, how much, and on which network.
     *
     * @example
     * for (const { amountAtomic, network, payer } of await till.refunds.due()) console.log(payer, amountAtomic, network)
     */
    readonly due: (query?: DueRefundQuery) => Promise<ReadonlyArray<DueRefund>>
    /** Stops all refunds, in every process, until they are resumed; `false` if they were already stopped. */
    readonly stop: (reason: string) => Promise<boolean>
    /** Allows refunds again; `false` if they were not stopped. */
    readonly resume: () => Promise<boolean>
  }
  /** The vault's items. */
  readonly vault: {
    /** Adds an item, or replaces the one with the same id and lists it again. Rejects if another has its slug. */
    readonly put: (item: VaultItem) => Promise<void>
    /**
     * Lists an item with its archive, whose bytes must be stored before: `publish` of `@till402/vault` does both. An item
     * of this slug is changed; an archive with another digest becomes its next version. Publishing the same again
     * changes nothing. Rejects with `ListingRejected`, which has every fault.
     */
    readonly publish: (listing: VaultListing, archive: ArchiveFacts) => Promise<Publication>
    /** The archives of an item, the newest first; none if it was never published. */
    readonly versions: (slug: string) => Promise<ReadonlyArray<ArchiveVersion>>
    /** How often an item was sold: purchases whose payment has settled. */
    readonly sales: (slug: string) => Promise<number>
    /** Finds a purchase by its id. */
    readonly findPurchase: (id: string) => Promise<VaultPurchase | undefined>
    /**
     * Lists purchases whose payment has settled, newest first: all, or those of an email, an item, a payer or a
     * transaction.
     *
     * @example
     * const [purchase] = await till.vault.purchases({ email: "ada@example.com" })
     */
    readonly purchases: (query?: PurchaseQuery) => Promise<ReadonlyArray<VaultPurchase>>
    /** Lists items as `vault/search` does, page by page; `undefined` if no item has the cursor as its id. */
    readonly list: (query?: VaultListQuery) => Promise<VaultPage | undefined>
    /**
     * Takes an item off the listing until it is put again: it is neither found nor sold, and purchases can still be
     * downloaded. `false` if no item of this slug was listed.
     */
    readonly unlist: (slug: string) => Promise<boolean>
  }
}

/** Runs an operator's call with the services of a till. */
type Operate = <A, E>(effect: Effect.Effect<A, E, Exclude<Operators, KeyOperator>>) => Promise<A>

/** The calls in plain promises. */
export const operatorCalls = (operate: Operate, feed: ChangeFeed): OperatorCalls => ({
  orders: toHostOrders(operate, feed),
  charges: {
    find: (key) => operate(ChargeOperator.use((charges) => charges.find(key))),
    list: (query) => operate(ChargeOperator.use((charges) => charges.list(query))),
    recordRefund: (key, transaction) =>
      operate(ChargeOperator.use((charges) => charges.recordRefund(key, transaction)))
  },
  ledger: {
    list: (query) => operate(LedgerOperator.use((ledger) => ledger.list(query))),
    totals: (span) => operate(LedgerOperator.use((ledger) => ledger.totals(span))),
    check: (query) => operate(LedgerOperator.use((ledger) => ledger.check(query))),
    export: (query) =>
      exportedText(
        operate,
        LedgerOperator.use((ledger) => Effect.succeed(ledger.export(query)))
      )
  },
  refunds: {
    status: () => operate(RefundOperator.use(({ status }) => status)),
    due: (query) => operate(RefundOperator.use((refunds) => refunds.due(query))),
    stop: (reason) => operate(RefundOperator.use((refunds) => refunds.stop(reason))),
    resume: () => operate(RefundOperator.use(({ resume }) => resume))
  },
  vault: {
    put: (item) => operate(VaultOperator.use((vault) => vault.put(item))),
    publish: (listing, archive) => operate(VaultOperator.use((vault) => vault.publish(listing, archive))),
    versions: (slug) => operate(VaultOperator.use((vault) => vault.versions(slug))),
    sales: (slug) => operate(VaultOperator.use((vault) => vault.sales(slug))),
    findPurchase: (id) => operate(VaultOperator.use((vault) => vault.findPurchase(id))),
    purchases: (query) => operate(VaultOperator.use((vault) => vault.purchases(query))),
    list: (query = {}) => operate(VaultOperator.use((vault) => vault.list(query))),
    unlist: (slug) => operate(VaultOperator.use((vault) => vault.unlist(slug)))
  }
})
