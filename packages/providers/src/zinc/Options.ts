import type { FulfilmentOptions, FulfilmentStatus } from "@till402/core"
import type { FulfilmentUpdate } from "../rye/Options.ts"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"

/**
 * What is set aside for costs that Zinc names only after it has bought. The buyer pays all of it, whatever the
 * order costs in the end.
 */
export interface CostAllowance {
  /** For sales tax, in hundredths of a percent of the product's price: 1000 is ten percent. */
  readonly taxBasisPoints: number
  /** For delivery, in cents. */
  readonly shippingCents: number
}

/** What both forms take, keys aside. */
export interface ZincSettings extends UpstreamSettings {
  /** Makes `quote` sell at the listed price and this on top. Without it `quote` refuses. */
  readonly allowance?: CostAllowance
  /** How long such a quote stands, in milliseconds; default ten minutes. */
  readonly quoteLifetimeMillis?: number
  /** The phone number of buyers who give none, since Zinc wants one of each; without it they are refused. */
  readonly defaultPhone?: string
  /** The retailer account to buy with, `zn_acct_…`; default Zinc's choice. */
  readonly retailerCredentialsId?: string
  /** Told of each signed webhook about an order. One that throws makes the answer a 500. */
  readonly onUpdate?: (update: FulfilmentUpdate) => void | Promise<void>
  /** Where the API is; default Zinc's. A key `zn_test_…` places nothing real at the same address. */
  readonly baseUrl?: string
}

/** What a plain host gives. */
export interface ZincOptions extends ZincSettings, FetchOptions {
  /** The account's key, `zn_live_…` or `zn_test_…`. */
  readonly apiKey: string
  /** `zn_whsec_…`; without it `webhook` answers 404. */
  readonly webhookSecret?: string
}

/** `fulfilment` of a till, with what the order's later life needs. */
export interface ZincFulfilment extends FulfilmentOptions {
  /** Zinc takes an order once: see `idempotencyKeyOf`. */
  readonly placesOnce: true
  /**
   * The reference under which an order of the till was placed; `undefined`: it was not, and nothing is on its
   * way. Rejects where that can't be told.
   */
  readonly find: (orderId: string, context?: { readonly signal?: AbortSignal }) => Promise<string | undefined>
  /** How an order stands, by the reference that `place` gave. */
  readonly status: (
    reference: string,
    context?: { readonly signal?: AbortSignal }
  ) => Promise<FulfilmentStatus>
  /** Answers a webhook of Zinc: 200 where it was taken up, 401 where it is not signed. */
  readonly webhook: (request: Request) => Promise<Response>
  readonly usage: () => UpstreamUsage
}
