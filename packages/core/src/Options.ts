import type { Layer } from "effect"
import type { MailTemplates } from "./mail/Templates.ts"
import type { OrderChange } from "./orders/OrderChanges.ts"
import type { Money } from "./domain/Money.ts"
import type { Stores } from "./ports/Stores.ts"
import type {
  MarketplaceOptions,
  AssistantOptions,
  DecimalText,
  FulfilmentOptions,
  TrackerOptions,
  VaultOptions,
  MailerOptions
} from "./ProviderOptions.ts"

/*
 * What a host gives to `Till.make`, in plain TypeScript. A port that is left out takes its routes, its
 * place in the listing and its OpenAPI entry with it.
 */

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
  /**
   * Blocks, the transfer's own included, before a transfer counts as payment; 1 to 64, default by network.
   * Needs `rpcUrl`.
   */
  readonly confirmations?: number
  /**
   * Age of a block from which on no reorganization is expected to remove it, in seconds of chain time; default by
   * network. A refund waits until its payment is that old. Needs `rpcUrl`.
   */
  readonly finalitySeconds?: number
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

/** Bounds on refunds that the till sends by itself. */
export interface RefundLimitOptions {
  /**
   * Most that is refunded to one payer in an hour, over all processes: dollars, decimal text; default "500.00". A
   * refund past it stays due, and is sent later or by an operator.
   */
  readonly perPayerPerHour?: DecimalText
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

/** Operations with a fixed price: their payments can settle before the work. */
export type FixedPriceOperation = "search" | "shop" | "track" | "vaultSearch" | "vaultDownload"

/**
 * Bounds on work for payments that have not settled yet. Together they are the most that a host can lose to callers
 * that have work done and then let the payment fail: see docs/threats.md, "What an attacker can cost you".
 */
export interface LimitOptions {
  /** Unsettled payments that one payer may have at a time, over all processes; default 64. */
  readonly unsettledPerPayer?: number
  /** Unsettled payments that one process takes on at a time; default 1000. */
  readonly unsettled?: number
  /** For how long a payer who could not pay is refused without asking the facilitator; default 5000. */
  readonly payerMemoryMillis?: number
  /**
   * Dollars of concurrent unsettled work at which the bound on one payer starts, over all processes; default `"0.10"`.
   * One call is always allowed. The bound grows by each payment that settles.
   */
  readonly exposurePerPayer?: DecimalText
  /** Dollars at which that bound stops growing; default `"5.00"`. */
  readonly maxExposurePerPayer?: DecimalText
  /**
   * Dollars of work that one payer can have done without a verification first, in one process: at most what they have
   * settled in `payerCreditMillis`, and at most this; default `"5.00"`. `"0"` has every payment verified. Nothing is
   * returned before settlement in any case. Never for `buy` and `vault/buy`.
   */
  readonly creditPerPayer?: DecimalText
  /** For how long a settled payment counts as recent; default 60000. */
  readonly payerCreditMillis?: number
  /**
   * Dollars of work, unsettled or lost, that one process does in an hour for payers who have not paid as much here
   * within a day; default `"20.00"`. It refills over the hour, and at once with payments that settle.
   */
  readonly lossPerHour?: DecimalText
  /** Payments verified at a time for payers who have not paid here within a day; default 64. */
  readonly unverified?: number
  /**
   * Quotes that `buy` requests from fulfilment in a minute, for all callers together; default 600. Half is reserved for
   * newcomers: client addresses (IPv4, or one /48 of IPv6) with fewer than 3 quotes in this minute.
   */
  readonly quotesPerMinute?: number
  /** The same for one client address (one /64 of IPv6); default 60. A /48 of IPv6 gets four times as much. */
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
  /** Bounds on what `refundWallet` sends. */
  readonly refunds?: RefundLimitOptions
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
  /** Bounds on work whose payment has not settled yet; past one of them a paid call waits, then gets a 429. */
  readonly limits?: LimitOptions
  /**
   * When payments settle, by operation: `"after-work"` (default), so that work which fails costs the caller nothing, or
   * `"before-work"` where the work costs you real money: then no work is done for a payment that does not settle.
   */
  readonly settlement?: Partial<Record<FixedPriceOperation, "after-work" | "before-work">>
  /**
   * How long the response to a payment that settled before its work can be requested again, should the work fail;
   * then the payment is refunded. Default one hour.
   */
  readonly owedResponseMillis?: number
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
