import type { FulfilmentOptions, FulfilmentStatus } from "@till402/core"
import type { OnFulfilmentUpdate } from "../fulfilment/FulfilmentUpdate.ts"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/UpstreamSettings.ts"
import type { PlacementJournal } from "./PlacementJournal.ts"

/** Settings of Rye, without keys and journal. */
export interface RyeSettings extends UpstreamSettings {
  /** Phone number for buyers who send none, because Rye requires one; without it they are refused. */
  readonly defaultPhone?: string | undefined
  /** `low` uses shops' APIs only: faster, and fails more often. Default `max`. */
  readonly offerRetrievalEffort?: "max" | "low" | undefined
  /** Time limit of a quote, in milliseconds; default 18000. Keep it below `upstreamTimeoutMillis`. */
  readonly quoteTimeoutMillis?: number | undefined
  /** First interval of polling an offer, in milliseconds; later ones are up to four times longer. Default 1000. */
  readonly pollMillis?: number | undefined
  /** Requests per second that change something; default 5, as at Rye. Divide it among processes that share an account. */
  readonly mutationsPerSecond?: number | undefined
  /** Other requests per second, without lookups of products; default 10. Divide it in the same way. */
  readonly readsPerSecond?: number | undefined
  /** Lookups of products per second; default 10. Divide it in the same way. */
  readonly lookupsPerSecond?: number | undefined
  /** Checkout intents in 24 hours; default 50, as for a new account. Divide it in the same way. */
  readonly intentsPerDay?: number | undefined
  /** The part of `intentsPerDay` for buyers with an earlier order; default two fifths, rounded down. */
  readonly intentsForBuyers?: number | undefined
  /** Orders that Rye places at the same time; default 10, as for a new account. Divide it in the same way. */
  readonly ordersAtOnce?: number | undefined
  /** Called for each signed webhook about an order. If it throws, Rye sends the webhook again. */
  readonly onUpdate?: OnFulfilmentUpdate | undefined
  /** Address of the API; `https://staging.api.rye.com` for staging. Must be https or on this machine. */
  readonly baseUrl?: string | undefined
}

/** Options of the plain function `rye`. */
export interface RyeOptions extends RyeSettings, FetchOptions {
  /** The account's key, `RYE/production-…`. */
  readonly apiKey: string
  /** Secret of the webhook endpoint in Rye's console. Without it `webhook` responds with a 404. */
  readonly webhookSecret?: string | undefined
  /** Records the intent by which each order was placed. Default: this process's memory. */
  readonly placements?: PlacementJournal | undefined
}

/** `fulfilment` of a till, with the later life of an order. */
export interface RyeFulfilment extends FulfilmentOptions {
  /**
   * Returns the reference of a placed order; `null` if it was not placed and nothing is in flight.
   *
   * Rejects while that is unknown. Without a journal, `context.reference` (the quote's) makes a lookup
   * possible.
   */
  readonly find: (
    orderId: string,
    context?: { readonly reference?: string; readonly signal?: AbortSignal }
  ) => Promise<string | null>
  /** Returns the status of an order, by the reference that `place` returned. */
  readonly status: (
    reference: string,
    context?: { readonly signal?: AbortSignal }
  ) => Promise<FulfilmentStatus>
  /** Handles a webhook of Rye. Responds with 200 if accepted and 401 if not signed. */
  readonly webhook: (request: Request) => Promise<Response>
  readonly usage: () => UpstreamUsage
}
