import type { TrackerOptions, TrackResult } from "@till402/core"
import type { Redacted } from "effect"
import type { Carrier } from "../carriers/Carrier.ts"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../upstream/UpstreamSettings.ts"

/** Finds names and homepages of carriers, such as `carrierDirectory` of `@till402/providers/carriers`. */
export interface CarrierNames {
  readonly find: (code: number) => Carrier | undefined
}

/**
 * Settings of a tracker over 17TRACK, without the key.
 *
 * Three settings of its calls have other defaults: `timeoutMillis` 6000, `deadlineMillis` 8000 and
 * `maxResponseBytes` 16 MiB. A lookup makes several calls, and each call serves many lookups.
 */
export interface SeventeenTrackSettings extends UpstreamSettings {
  /** Address of the API; default: 17TRACK's. Must be https or on this machine. */
  readonly baseUrl?: string | undefined
  /** The account's rate, default 3. Divide it among processes that share a key. */
  readonly requestsPerSecond?: number | undefined
  /**
   * Time limit of a whole lookup, default 18000. Keep it below the till's `upstreamTimeoutMillis`, so that
   * a lookup that spent quota still returns a result.
   */
  readonly lookupMillis?: number | undefined
  /** How long to wait for the first news of a newly registered number, default 12000. */
  readonly firstNewsMillis?: number | undefined
  /**
   * What one unit of quota costs you, in US dollars: a number that no carrier knows spends one, and isn't charged. The till
   * counts it as a loss. Default: the price of `track`.
   */
  readonly unitCostUsd?: number | undefined
  /** Maximum number of cached lookup results, default 2000. */
  readonly cacheCapacity?: number | undefined
  /** Language of event descriptions, as 17TRACK writes it; default `en`. */
  readonly language?: string | undefined
  /** Formats a ship date (`2026-03-04`) for 17TRACK; default: `2026/03/04`, and if refused, unchanged. */
  readonly formatShipDate?: ((date: string) => string) | undefined
  /** Default: the carriers bundled with this package. */
  readonly carriers?: CarrierNames | undefined
}

/** Options of the plain function `seventeenTrack`. */
export interface SeventeenTrackOptions extends SeventeenTrackSettings, FetchOptions {
  readonly apiKey: string
}

/** Options of `SeventeenTrack.layer`. */
export interface SeventeenTrackLayerOptions extends SeventeenTrackSettings {
  readonly apiKey: Redacted.Redacted<string>
}

/** The tracker of a till, with a webhook endpoint for 17TRACK. */
export interface SeventeenTrackTracker extends TrackerOptions<TrackResult> {
  /**
   * Handles a webhook of 17TRACK. Set its URL in 17TRACK's dashboard and pass the body unchanged: the
   * signature is checked. Responds with 200 if accepted and 401 if not signed.
   */
  readonly webhook: (request: Request) => Promise<Response>
  readonly usage: () => UpstreamUsage
}
