import type { FulfilmentOptions, FulfilmentStatus } from "@till402/core"
import type { OnFulfilmentUpdate } from "../fulfilment/FulfilmentUpdate.ts"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/UpstreamSettings.ts"

/**
 * A flat allowance for costs that Zinc reports only after the purchase. The buyer pays all of it, whatever
 * the order costs in the end.
 */
export interface CostAllowance {
  /** For sales tax, in hundredths of a percent of the product's price: 1000 is ten percent. */
  readonly taxBasisPoints: number
  /** For delivery, in cents. */
  readonly shippingCents: number
}

/** Settings of Zinc, without keys. */
export interface ZincSettings extends UpstreamSettings {
  /** Makes `quote` offer the listed price plus this. Without it `quote` refuses. */
  readonly allowance?: CostAllowance | undefined
  /** How long such a quote is valid, in milliseconds; default ten minutes. */
  readonly quoteLifetimeMillis?: number | undefined
  /** Phone number for buyers who send none, because Zinc requires one; without it they are refused. */
  readonly defaultPhone?: string | undefined
  /** The retailer account to buy with, `zn_acct_…`; default: Zinc chooses. */
  readonly retailerCredentialsId?: string | undefined
  /** Called for each signed webhook about an order. If it throws, the response is a 500. */
  readonly onUpdate?: OnFulfilmentUpdate | undefined
  /** Address of the API; default: Zinc's. A key `zn_test_…` places nothing real at the same address. */
  readonly baseUrl?: string | undefined
}

/** Options of the plain function `zinc`. */
export interface ZincOptions extends ZincSettings, FetchOptions {
  /** The account's key, `zn_live_…` or `zn_test_…`. */
  readonly apiKey: string
  /** `zn_whsec_…`; without it `webhook` responds with a 404. */
  readonly webhookSecret?: string | undefined
}

/** `fulfilment` of a till, with the later life of an order. */
export interface ZincFulfilment extends FulfilmentOptions {
  /** Zinc accepts an order once: see `idempotencyKeyOf`. */
  readonly placesOnce: true
  /**
   * Returns the reference of a placed order; `null` if it was not placed and nothing is in flight.
   *
   * Rejects while that is unknown.
   */
  readonly find: (orderId: string, context?: { readonly signal?: AbortSignal }) => Promise<string | null>
  /** Returns the status of an order, by the reference that `place` returned. */
  readonly status: (
    reference: string,
    context?: { readonly signal?: AbortSignal }
  ) => Promise<FulfilmentStatus>
  /** Handles a webhook of Zinc. Responds with 200 if accepted and 401 if not signed. */
  readonly webhook: (request: Request) => Promise<Response>
  readonly usage: () => UpstreamUsage
}
