import type { FulfilmentOptions, FulfilmentStatus } from "@till402/core"
import type { Hex } from "../treasury/Hex.ts"
import type { Treasury } from "../treasury/Treasury.ts"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"

/** What both forms take, key and treasury aside. */
export interface CrossmintSettings extends UpstreamSettings {
  /**
   * Crossmint's accounts that may be paid, at least one. A prepared transaction to any other account is
   * refused, so that nobody who gets hold of an answer can name his own.
   */
  readonly payees: ReadonlyArray<Hex>
  /** Crossmint's name of the treasury's network; default the treasury's own (`base`, `base-sepolia`). */
  readonly paymentMethod?: string
  /** Language of product names; default `en-US`. */
  readonly locale?: string
  /** Where Crossmint sends its receipt of the treasury's payment; default nowhere. */
  readonly receiptEmail?: string
  /** How long a quote may take to become ready, in milliseconds; default 12000. */
  readonly quoteTimeoutMillis?: number
  /** Pause between two looks at a quote, in milliseconds; default 1000, at least 500. */
  readonly pollMillis?: number
  /** Where the API is: `https://staging.crossmint.com/api` for staging. Https, or this machine. */
  readonly baseUrl?: string
}

/** What a plain host gives. */
export interface CrossmintOptions extends CrossmintSettings, FetchOptions {
  /** Server-side key with the scopes `orders.create`, `orders.read` and `orders.update`. */
  readonly apiKey: string
  /** Pays the orders. */
  readonly treasury: Treasury
}

/** `fulfilment` of a till, with what the order's later life needs. */
export interface CrossmintFulfilment extends FulfilmentOptions {
  /**
   * The reference under which an order of the till was paid; `undefined`: it was not, and nothing is on its
   * way. Rejects where that can't be told. A payment that was begun is brought to its end on the way.
   */
  readonly find: (orderId: string, context?: { readonly signal?: AbortSignal }) => Promise<string | undefined>
  /** How an order stands, by the reference that `place` gave. */
  readonly status: (
    reference: string,
    context?: { readonly signal?: AbortSignal }
  ) => Promise<FulfilmentStatus>
  readonly usage: () => UpstreamUsage
}
