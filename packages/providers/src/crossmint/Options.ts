import type { FulfilmentOptions, FulfilmentStatus } from "@till402/core"
import type { Hex } from "../treasury/Hex.ts"
import type { TreasuryOptions } from "../treasury/Treasury.ts"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/UpstreamSettings.ts"

/** Settings of Crossmint, without key and treasury. */
export interface CrossmintSettings extends UpstreamSettings {
  /**
   * Crossmint's accounts that may be paid, at least one. A prepared transaction to any other account is
   * refused, so a forged response can't redirect a payment.
   */
  readonly payees: ReadonlyArray<Hex>
  /** Crossmint's name of the treasury's network; default the treasury's own (`base`, `base-sepolia`). */
  readonly paymentMethod?: string | undefined
  /** Language of product names; default `en-US`. */
  readonly locale?: string | undefined
  /** Receives Crossmint's receipt of the treasury's payment; default nobody. */
  readonly receiptEmail?: string | undefined
  /** Time limit until a quote is ready, in milliseconds; default 12000. */
  readonly quoteTimeoutMillis?: number | undefined
  /** Interval of polling a quote, in milliseconds; default 1000, at least 500. */
  readonly pollMillis?: number | undefined
  /** Address of the API; `https://staging.crossmint.com/api` for staging. Https or on this machine. */
  readonly baseUrl?: string | undefined
}

/** Options of the plain function `crossmint`. */
export interface CrossmintOptions extends CrossmintSettings, FetchOptions {
  /** Server-side key with the scopes `orders.create`, `orders.read` and `orders.update`. */
  readonly apiKey: string
  /** Pays the orders. */
  readonly treasury: TreasuryOptions
}

/** `fulfilment` of a till, with the later life of an order. */
export interface CrossmintFulfilment extends FulfilmentOptions {
  /**
   * Returns the reference of a paid order; `undefined` if it was not paid and nothing is in flight.
   *
   * Rejects while that is unknown, and if another payment bought `context.reference`, the quote's. Completes a payment
   * that was begun.
   */
  readonly find: (
    orderId: string,
    context?: { readonly reference?: string; readonly signal?: AbortSignal }
  ) => Promise<string | undefined>
  /** Returns the status of an order, by the reference that `place` returned. */
  readonly status: (
    reference: string,
    context?: { readonly signal?: AbortSignal }
  ) => Promise<FulfilmentStatus>
  readonly usage: () => UpstreamUsage
}
