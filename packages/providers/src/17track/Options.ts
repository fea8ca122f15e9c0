import type { TrackerOptions } from "@till402/core"
import type { Carrier } from "../carriers/Carrier.ts"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/Settings.ts"

/** Where names and homepages of carriers are looked up; `carrierDirectory` of `@till402/providers/carriers` fits. */
export interface CarrierNames {
  readonly find: (code: number) => Carrier | undefined
}

/**
 * What a tracker over 17TRACK takes, key aside. Of the settings of its calls, `timeoutMillis` is 6000,
 * `deadlineMillis` 8000 and `maxAnswerBytes` 16 MiB where they are left out: a lookup makes several
 * calls, and each of them answers for many.
 */
export interface SeventeenTrackSettings extends UpstreamSettings {
  /** Where the API is, if not at 17TRACK: a proxy, a test. Https, or this machine. */
  readonly baseUrl?: string
  /** The rate of the account, default 3. Where several processes share a key, each gets its part. */
  readonly requestsPerSecond?: number
  /**
   * Of a whole lookup, default 18000: less than the till's `upstreamTimeoutMillis`, so that a lookup that
   * spent quota still answers.
   */
  readonly lookupMillis?: number
  /** How long a number that was just registered may take to have its first news, default 12000. */
  readonly firstNewsMillis?: number
  /** Lookups whose outcome is remembered at most, default 2000. */
  readonly cacheCapacity?: number
  /** Language of event descriptions, as 17TRACK writes it (`en`); default: the account's. */
  readonly language?: string
  /** Writes a ship date (`2026-03-04`) as 17TRACK wants it; default: as it is. */
  readonly formatShipDate?: (date: string) => string
  /** Default: the carriers that come with this package. */
  readonly carriers?: CarrierNames
}

/** What a plain host gives. */
export interface SeventeenTrackOptions extends SeventeenTrackSettings, FetchOptions {
  readonly apiKey: string
}

/** The tracker of a till, with the endpoint of 17TRACK's webhooks. */
export interface SeventeenTrackTracker extends TrackerOptions {
  /**
   * Answers a webhook of 17TRACK, whose URL is set in its dashboard. Mount it where you like, with the
   * body untouched; it checks the signature. 200 where it was taken up, 401 where it is not signed.
   */
  readonly webhook: (request: Request) => Promise<Response>
  readonly usage: () => UpstreamUsage
}
