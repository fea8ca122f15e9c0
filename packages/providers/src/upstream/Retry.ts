import type { UpstreamFault } from "./UpstreamFault.ts"

/*
 * Which calls are retried, and when. Pure functions.
 */

export interface RetrySettings {
  /** Attempts after the first. */
  readonly retries: number
  /** The first pause; doubles with each retry. */
  readonly baseMillis: number
  /** Maximum pause, unless the upstream requests a longer one. */
  readonly maxMillis: number
}

/** Statuses after which the same request may succeed. */
const retryableStatuses = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529])

/**
 * Whether to retry. A call that is not idempotent is retried only after a 429, which means that the upstream
 * did not accept it.
 */
export const isRetryable = (fault: UpstreamFault, idempotent: boolean): boolean => {
  switch (fault._tag) {
    case "Unreachable":
    case "TimedOut":
      return idempotent
    case "Rejected":
      return idempotent ? retryableStatuses.has(fault.status) : fault.status === 429
    default:
      return false
  }
}

/**
 * The pause before attempt `attempt + 1`, in milliseconds, never shorter than the upstream requests.
 *
 * It doubles, and half of it is random, so that calls that failed together are not retried together.
 *
 * @param attempt from 1
 * @param chance from 0 to 1
 */
export const pauseMillis = (
  attempt: number,
  fault: UpstreamFault,
  chance: number,
  { baseMillis, maxMillis }: RetrySettings
): number => {
  const full = Math.min(baseMillis * 2 ** (attempt - 1), maxMillis)
  const jittered = full / 2 + (full / 2) * chance
  const requested = fault._tag === "Rejected" ? (fault.retryAfterMillis ?? 0) : 0
  return Math.ceil(requested + (requested > 0 ? (baseMillis / 2) * chance : jittered))
}
