import type { IncomingRequest, PlainResponse, Caller } from "../http/HttpMessage.ts"
import type { VaultItem, VaultPage } from "../shop/goods/Vault.ts"
import type { ArchiveFacts, ArchiveVersion, Publication, VaultListing } from "../shop/goods/VaultListing.ts"
import type { VaultPurchase } from "../shop/ports/VaultPurchases.ts"
import type { PurchaseQuery, VaultListQuery } from "../shop/vault/VaultOperator.ts"
import type { ChargeQuery, ChargeSummary } from "../operators/ChargeOperator.ts"
import type { HostOrders } from "../shop/orders/HostOrders.ts"
import type {
  LedgerCheckQuery,
  LedgerExportQuery,
  LedgerLine,
  LedgerQuery,
  LedgerSum
} from "../operators/LedgerOperator.ts"
import type { DueRefund, DueRefundQuery, RefundStatus } from "../operators/RefundOperator.ts"
import type { LedgerAudit } from "../toll/audit/LedgerAudit.ts"
import type { Reconciliation } from "../toll/perform/Reconciler.ts"
import type { PricedRouteOptions } from "../operations/PricedRouteOptions.ts"
import type { Check } from "./Check.ts"
import type { KeyUse } from "./keyCheck.ts"
import type { PricedRoute } from "./PricedRoute.ts"

/** A running till, as `Till.make` returns it and adapters mount it. */
export interface RunningTill {
  /** Handles one request for a path below the mount. Never rejects. */
  readonly fetch: (request: Request, caller?: Caller) => Promise<Response>
  /**
   * The same for a server without web `Request`s: adapters of Node's frameworks save both conversions. Returns the
   * response of a public route unchanged.
   */
  readonly handle: (request: IncomingRequest, caller?: Caller) => Promise<PlainResponse | Response>
  /** Whether the till handles a path (with or without the prefix of `baseUrl`); others are the host's. */
  readonly handles: (pathname: string) => boolean
  /**
   * Prices a handler that you have already, and lists it in the documents at once. `priced` of `@till402/hono` makes it
   * a middleware. For a function that returns data, use the option `operations`.
   *
   * @throws ConfigurationError that names every fault of the options at once
   *
   * @example
   * const weather = till.price({ id: "weather", path: "/weather", price: "0.02" })
   * const server = {
   *   fetch: (request: Request) => weather.fetch(request, () => Response.json({ celsius: 21 }))
   * }
   */
  readonly price: (route: PricedRouteOptions) => PricedRoute
  /**
   * TXT record for your DNS, by which crawlers find the listing: `_x402.shop.example. IN TXT "v=x402-1; …"`. `undefined`
   * without a listing, or if `baseUrl` isn't https.
   */
  readonly dnsRecord: string | undefined
  /** Resolves when storage is open and migrated; rejects with a readable error otherwise. */
  readonly ready: Promise<void>
  /** Lets running calls end (bounded), then closes storage. */
  readonly dispose: () => Promise<void>
  /**
   * Makes the checks of the start now, and returns them all: what passed, and what is wrong with a cure. Reads
   * facilitators, nodes and storage anew, for up to some seconds: for operators, not for callers. Rejects if the till did
   * not start, with the reason.
   *
   * @example
   * for (const { cure, name, problem, status } of await till.check())
   *   if (status !== "pass") console.error(`${name}: ${problem}. ${cure}`)
   */
  readonly check: () => Promise<ReadonlyArray<Check>>
  /**
   * Finishes charges of processes that died, and retries unknown outcomes now. Each process does the same every 15
   * seconds, with backoff. Returns how many charges were settled, and how many are still unknown: at most 100 of each.
   */
  readonly reconcile: () => Promise<Reconciliation>
  /**
   * Counts what each key is needed for: the keys of `secret`, the current one first, and those of `retiredKeys`. A key
   * without any count can be removed from `secret`.
   *
   * @example
   * for (const { id, purchases, responses, quotes } of await till.keys()) console.log(id, purchases, responses, quotes)
   */
  readonly keys: () => Promise<ReadonlyArray<KeyUse>>
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
