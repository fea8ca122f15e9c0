import type { FulfilmentOptions, FulfilmentStatus } from "@till402/core"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"
import type { PlacementJournal } from "./PlacementJournal.ts"

/** What a webhook tells: something happened to an order; how it stands now is for `status` to say. */
export interface FulfilmentUpdate {
  /** The reference that `place` gave. */
  readonly reference: string
  /** The upstream's word for what happened: `shipment.updated`. */
  readonly event: string
}

/** What both forms take, keys aside. */
export interface RyeSettings extends UpstreamSettings {
  /** The phone number of buyers who give none, since Rye wants one of each; without it they are refused. */
  readonly defaultPhone?: string
  /** `low` asks shops' APIs alone: quicker, and fails more often. Default `max`. */
  readonly offerRetrievalEffort?: "max" | "low"
  /** How long a quote may take, in milliseconds; default 18000. Keep it below `upstreamTimeoutMillis`. */
  readonly quoteTimeoutMillis?: number
  /** Pause before the first look at an offer, in milliseconds; later ones are up to four times that. Default 1000. */
  readonly pollMillis?: number
  /** The account's rate; default 5, Rye's own. Processes that share a key each get a part of it. */
  readonly requestsPerSecond?: number
  /** Remembers which intent an order was placed by. Default: this process's memory. */
  readonly placements?: PlacementJournal
  /** Told of each signed webhook about an order. One that throws makes Rye send the webhook again. */
  readonly onUpdate?: (update: FulfilmentUpdate) => void | Promise<void>
  /** Where the API is: `https://staging.api.rye.com` for staging. Https, or this machine. */
  readonly baseUrl?: string
}

/** What a plain host gives. */
export interface RyeOptions extends RyeSettings, FetchOptions {
  /** The account's key, `RYE/production-…`. */
  readonly apiKey: string
  /** Of the webhook endpoint in Rye's console; without it `webhook` answers 404. */
  readonly webhookSecret?: string
}

/** `fulfilment` of a till, with what the order's later life needs. */
export interface RyeFulfilment extends FulfilmentOptions {
  /**
   * The reference under which an order of the till was placed; `undefined`: it was not, and nothing is on its
   * way. Rejects where that can't be told. `context.reference`, the quote's, helps where no journal is kept.
   */
  readonly find: (
    orderId: string,
    context?: { readonly reference?: string; readonly signal?: AbortSignal }
  ) => Promise<string | undefined>
  /** How an order stands, by the reference that `place` gave. */
  readonly status: (
    reference: string,
    context?: { readonly signal?: AbortSignal }
  ) => Promise<FulfilmentStatus>
  /** Answers a webhook of Rye: 200 where it was taken up, 401 where it is not signed. */
  readonly webhook: (request: Request) => Promise<Response>
  readonly usage: () => UpstreamUsage
}
