import type { UpstreamFault } from "./UpstreamFault.ts"

/*
 * When a call is sent again, as pure functions.
 */

export interface RetrySettings {
  /** Attempts after the first. */
  readonly retries: number
  /** The first pause; doubles each time. */
  readonly baseMillis: number
  /** The longest pause, whatever the upstream asks for aside. */
  readonly maxMillis: number
}

/** Statuses after which the same request may well do. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529])

/**
 * Whether to try again. A call that is not idempotent is repeated only where the upstream said that it
 * did not take it: 429.
 */
export const isRetryable = (fault: UpstreamFault, idempotent: boolean): boolean => {
  switch (fault._tag) {
    case "Unreachable":
    case "TimedOut":
      return idempotent
    case "Rejected":
      return idempotent ? passing.has(fault.status) : fault.status === 429
    default:
      return false
  }
}

/**
 * The pause before attempt `attempt + 1`, in milliseconds: doubling, half of it left to chance, so that
 * those who failed together don't come back together; never shorter than what the upstream asks for.
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
  const asked = fault._tag === "Rejected" ? (fault.retryAfterMillis ?? 0) : 0
  return Math.ceil(asked + (asked > 0 ? (baseMillis / 2) * chance : jittered))
}
