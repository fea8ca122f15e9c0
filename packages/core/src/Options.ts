import type { Layer } from "effect"
import type { Product, SearchProduct } from "./domain/Product.ts"
import type { FulfilmentStatus, ProductReference, ShippingAddress } from "./domain/Order.ts"
import type { ShopRequest } from "./domain/Shop.ts"
import type { TrackQuery, TrackResult } from "./domain/Tracking.ts"
import type { VaultItem } from "./domain/Vault.ts"
import type { ChargeState, LedgerEntry, LedgerTotal } from "./ports/Charges.ts"
import type { MailTemplates } from "./mail/Templates.ts"
import type { HostOrders } from "./orders/OrderApi.ts"
import type { OrderChange } from "./orders/OrderChanges.ts"
import type { Money } from "./domain/Money.ts"
import type { Mail } from "./ports/Mailer.ts"
import type { ProductPage, ProductQuery } from "./ports/Marketplace.ts"
import type { VaultFile } from "./ports/VaultFiles.ts"
import type { Stores } from "./ports/Stores.ts"
import type { BookCheck } from "./toll/Books.ts"
import type { Reconciliation } from "./toll/Settling.ts"

/*
 * What a host gives to `Till.make`, in plain TypeScript. A port that is left out takes its routes, its
 * place in the listing and its OpenAPI entry with it.
 */

/** Given to every port function; `signal` aborts when its time is over. */
export interface CallContext {
  readonly signal: AbortSignal
}

/** Searches one marketplace. Throw `TemporarilyUnavailable` for a 503; any other throw is a 502. */
export interface MarketplaceOptions {
  readonly search: (query: ProductQuery, context: CallContext) => Promise<ProductPage>
}

/** Answers `POST /x402/shop`. `search` asks the configured marketplaces, merged. */
export interface AssistantOptions {
  readonly ask: (
    request: ShopRequest,
    context: CallContext & { readonly search: (query: ProductQuery) => Promise<ReadonlyArray<SearchProduct>> }
  ) => Promise<{ readonly reply: string; readonly products: ReadonlyArray<Product> }>
}

/** An amount in decimal text, US dollars: `"19.99"`. */
export type DecimalText = string

/** What a host's fulfilment answers to a request for a quote. */
export interface QuotedOffer {
  readonly product: { readonly title: string; readonly imageUrl?: string; readonly price?: DecimalText }
  readonly subtotal: DecimalText
  readonly tax: DecimalText
  readonly shipping: DecimalText
  /** What the caller pays: the product total with tax and shipping. */
  readonly total: DecimalText
  /** ISO 4217; only `USD` can be paid in the stablecoin. */
  readonly currency: string
  /** The upstream's name of this quote. */
  readonly reference: string
  readonly expiresAt: Date
}

/**
 * Quotes and places orders. `quote` may throw `ProductNotFound`, `ProductUnavailable`,
 * `AddressNotServed` (400 each) or `TemporarilyUnavailable` (503); any other throw is a 502.
 *
 * `place` may throw `PlacementRefused` (or one of the 400s): not placed, for good, so the payment is owed
 * back; or `NotPlaced`: certainly not placed, tried again later. After any other throw, and past its deadline,
 * the order may have been placed: it is looked up with `find`, placed again only where `placesOnce` says that
 * this is harmless, and else left to an operator.
 */
export interface FulfilmentOptions {
  readonly quote: (
    request: {
      readonly product: ProductReference
      readonly shippingAddress: ShippingAddress
      readonly email: string
    },
    context: CallContext
  ) => Promise<QuotedOffer>
  readonly place: (
    order: {
      readonly orderId: string
      readonly reference: string
      readonly product: ProductReference
      readonly shippingAddress: ShippingAddress
      readonly email: string
      /** What the upstream may charge at most: the total of its own quote. */
      readonly total: DecimalText
    },
    context: CallContext
  ) => Promise<{ readonly reference: string }>
  /** Whether `place` honours `orderId` as an idempotency key: the same one again never places a second order. */
  readonly placesOnce?: boolean | ((quoteReference: string) => boolean)
  /**
   * The reference under which an order was placed; `undefined`: it was not, and nothing is on its way. Throws
   * where that can't be told now.
   */
  readonly find?: (
    orderId: string,
    context: CallContext & {
      /** Of the quote that the order was to be placed by. */
      readonly reference: string
    }
  ) => Promise<string | undefined>
  /**
   * How an order stands, by the reference that `place` gave. Without it an order stays `placed`, as does one for
   * which it answers `undefined`: nobody can tell.
   */
  readonly status?: (reference: string, context: CallContext) => Promise<FulfilmentStatus | undefined>
}

/**
 * Looks up shipments. May throw `InvalidTrackingNumber` (400), `NoTrackingInfo` (404),
 * `CarrierNotDetected`, `AdditionalFieldRequired`, `InvalidCarrier` (422) or
 * `TemporarilyUnavailable` (503); any other throw is a 502.
 */
export interface TrackerOptions {
  readonly track: (query: TrackQuery, context: CallContext) => Promise<TrackResult>
}

/** Opens the ZIP archive of a vault item. */
export interface VaultOptions {
  readonly open: (item: { readonly slug: string }, context: CallContext) => Promise<VaultFile>
}

/** Sends a mail. May throw `MailRejected`: it is not tried again. After any other throw it is, for two days. */
export interface MailerOptions {
  readonly send: (mail: Mail, context: CallContext) => Promise<void>
}

/**
 * What the host adds to an upstream's quote: basis points of its total (250 is 2.5 %), rounded up to a millionth;
 * or a function that answers the amount in dollars, decimal text.
 */
export type Margin =
  | number
  | ((quoted: {
      readonly subtotal: Money
      readonly tax: Money
      readonly shipping: Money
      readonly total: Money
    }) => DecimalText)

/**
 * A wallet that refunds are sent from: a `LocalAccount` of viem, or anything that signs EIP-712 typed data. It
 * needs the stablecoin on every network of the till, and no gas: the facilitator submits what it signs.
 */
export interface RefundWallet {
  readonly address: string
  // eslint-disable-next-line typescript/no-explicit-any -- viem's own parameter is generic in its types
  readonly signTypedData: (typedData: any) => Promise<string>
}

/** A network on which the host takes payment. */
export interface NetworkOptions {
  /** CAIP-2 (`eip155:84532`) or version-1 name (`base-sepolia`). */
  readonly network: string
  /** Recipient on this network; default: the `payTo` of the till. */
  readonly payTo?: string
  /**
   * JSON-RPC endpoint. With it a settlement of `buy` and `vault/buy` counts only when the chain shows
   * it, contract wallets can be told from forged signatures, and unknown outcomes can be cleared up.
   */
  readonly rpcUrl?: string
}

/** An x402 facilitator over HTTP. */
export interface FacilitatorOptions {
  readonly url: string
  /** Headers of each call, e.g. a freshly signed `Authorization`. */
  readonly headers?: (
    operation: "verify" | "settle" | "supported"
  ) => Promise<Record<string, string>> | Record<string, string>
  /** Of one `/verify` call; default 5000. */
  readonly verifyTimeoutMillis?: number
  /** Of one `/settle` call; default 30000. */
  readonly settleTimeoutMillis?: number
}

/** Prices of the fixed-price operations in dollars, as decimal text. */
export interface Prices {
  readonly search: DecimalText
  readonly shop: DecimalText
  readonly track: DecimalText
  readonly vaultSearch: DecimalText
  readonly vaultDownload: DecimalText
}

/** A key of the host: at least 32 characters that nobody can guess, and a short id that is no secret. */
export interface SecretKey {
  readonly id: string
  readonly secret: string
}

/** Answers an unpaid request, of any method. */
export type PublicRoute = (request: Request) => Response | Promise<Response>

/** Bounds against callers who have work done and then let the payment fail, or never pay. */
export interface LimitOptions {
  /** Unsettled payments that one payer may have at a time; default 64. */
  readonly unsettledPerPayer?: number
  /** Unsettled payments that one process takes on at a time; default 1000. */
  readonly unsettled?: number
  /** For how long a payer who could not pay is refused without asking anybody; default 5000. */
  readonly payerMemoryMillis?: number
  /**
   * For how long a payment that settled is worth one more call of its payer, at a time, for which the facilitator
   * is not asked to verify before the work; default 60000, `0` has every call verified. Settlement decides all the same,
   * and nothing is answered before it. Never for `buy` and `vault/buy`.
   */
  readonly payerCreditMillis?: number
  /** Quotes that `buy` asks of fulfilment in a minute, all callers together; default 600. */
  readonly quotesPerMinute?: number
  /** The same for one client address (one /64 of IPv6); default 60. */
  readonly quotesPerClientPerMinute?: number
}

export interface TillOptions {
  /** Public address of the mount, prefix included: `https://shop.example` or `https://shop.example/api`. */
  readonly baseUrl: string
  /** Address that receives payments. */
  readonly payTo: string
  /** Networks on which calls can be paid, preferred first; at least one on the version-1 list. */
  readonly networks: ReadonlyArray<string | NetworkOptions>
  readonly facilitator: FacilitatorOptions | FacilitatorClient
  /** Host secret, newest key first: the first signs and seals, the others only verify and open. */
  readonly secret: string | ReadonlyArray<SecretKey>
  /** Where charges, quotes, orders and the vault are kept: `sqlite`, `postgres`, `memory`, or `storageFrom` your own. */
  readonly storage: Layer.Layer<Stores, unknown>
  readonly marketplaces?: {
    readonly marketplace_a?: MarketplaceOptions
    readonly marketplace_b?: MarketplaceOptions
  }
  readonly assistant?: AssistantOptions
  readonly fulfilment?: FulfilmentOptions
  readonly tracker?: TrackerOptions
  readonly vault?: VaultOptions
  readonly mailer?: MailerOptions
  /** The host's own words for mails; the till's stand in for those that are left out, or fail. */
  readonly mailTemplates?: Partial<MailTemplates>
  /** What the host adds to quotes of `buy`; shown as a service fee. Default: nothing. */
  readonly margin?: Margin
  /** Sends refunds that are due by itself; without it they wait for `charges.recordRefund`. */
  readonly refundWallet?: RefundWallet
  /** Told of each step in the life of an order, in this process. */
  readonly onOrderChange?: (change: OrderChange) => void | Promise<void>
  /**
   * How long address and e-mail of an order are kept once it rests, and the e-mail of a vault purchase from its
   * making on; default 90 days, at least one.
   */
  readonly personalDataLifetimeMillis?: number
  /** Overrides of the contract's prices. */
  readonly prices?: Partial<Prices>
  /** Seconds a payment may take from challenge to settlement; default 120, 30 to 600. */
  readonly maxTimeoutSeconds?: number
  /** Counts a facilitator's word as settlement for `buy` and `vault/buy` where a network has no `rpcUrl`. */
  readonly trustFacilitator?: boolean
  /** How long a recorded answer is given again; default 24 hours. */
  readonly answerLifetimeMillis?: number
  /** How long an answer that holds a secret (vault buy) is given again; default 10 minutes. */
  readonly secretAnswerLifetimeMillis?: number
  /** Deadline of one port call; default 20000. */
  readonly upstreamTimeoutMillis?: number
  /** Bounds on work whose payment has not settled yet; past one of them a paid call is a 429. */
  readonly limits?: LimitOptions
  /**
   * Who sent a request, behind a proxy that says so in a header which nobody else can set. Default: what the
   * adapter says, which is the address of the socket unless the framework trusts a proxy.
   */
  readonly clientAddress?: (request: Request) => string | undefined
  /** Where the OpenAPI document stands below the mount; `false` drops it. Default `/openapi.json`. */
  readonly openapiPath?: string | false
  /** Where the discovery listing stands below the mount; `false` drops it. Default `/.well-known/x402`. */
  readonly discoveryPath?: string | false
  /**
   * Unpaid routes of providers that the till serves below its mount, by path: an agent profile, a webhook.
   * Not below `/x402`. A handler that throws is a 500; what it reads it has to bound itself.
   */
  readonly publicRoutes?: Readonly<Record<string, PublicRoute>>
  /** Origins that browsers may call from; default `*`, `false` sends no CORS headers. */
  readonly cors?: "*" | ReadonlyArray<string> | false
  /** Told of what an operator should know; default: one JSON line per event on standard error. */
  readonly onEvent?: (event: TillEvent) => void
}

/** What happened, for the host's own log. Carries no payment header, token, address or e-mail. */
export interface TillEvent {
  readonly level: "info" | "warning" | "error"
  readonly message: string
  readonly data: Readonly<Record<string, string | number | boolean | undefined>>
}

/**
 * A facilitator in the same process, in the wire's own words: the shape of the official
 * `x402Facilitator` and `FacilitatorClient` of `@x402/core`. A throw is an unknown outcome.
 */
export interface FacilitatorClient {
  readonly verify: (
    // eslint-disable-next-line typescript/no-explicit-any -- bivariant on purpose: the official types are unions of their own
    paymentPayload: any,
    // eslint-disable-next-line typescript/no-explicit-any -- see above
    paymentRequirements: any
  ) => Promise<{
    readonly isValid: boolean
    readonly invalidReason?: string | undefined
    readonly payer?: string | undefined
  }>
  readonly settle: (
    // eslint-disable-next-line typescript/no-explicit-any -- bivariant on purpose: the official types are unions of their own
    paymentPayload: any,
    // eslint-disable-next-line typescript/no-explicit-any -- see above
    paymentRequirements: any
  ) => Promise<{
    readonly success: boolean
    readonly errorReason?: string | undefined
    readonly transaction: string
    readonly payer?: string | undefined
  }>
  readonly getSupported?: () => Promise<{
    readonly kinds: ReadonlyArray<{ x402Version: number; scheme: string; network: string }>
  }>
}

/** What a server knows of who sent a request, beside the request. */
export interface Caller {
  /** Network address, for the budget of unpaid quotes; adapters give the one their framework says. */
  readonly clientAddress?: string | undefined
}

/** A running till: what `Till.make` gives and adapters mount. */
export interface Till {
  /** Answers one request for a path below the mount. Never rejects. */
  readonly fetch: (request: Request, caller?: Caller) => Promise<Response>
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
     * Whether settled charges, recorded receipts, ledger entries, and answers or refunds agree; reads all of
     * the span page by page. Default: the last seven days.
     */
    readonly check: (span?: { readonly from: Date; readonly to: Date }) => Promise<BookCheck>
  }
  /** The vault's shelf. */
  readonly vault: { readonly put: (item: VaultItem) => Promise<void> }
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
