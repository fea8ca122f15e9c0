import { backoff } from "../../runtime/backoff.ts"

export { refundBackoff } from "../../refunds/RefundRetries.ts"
export { mailBackoff, maxMailAttempts } from "../mail/MailTimings.ts"
export { workLeaseMillis } from "../../runtime/workLeaseMillis.ts"
export { paymentLifetimeMillis } from "../../toll/request/PaymentLifetime.ts"

/*
 * When each step of an order is due, retried and given up. Pure; milliseconds.
 */

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/**
 * The longest time between recording that placement begins and calling upstream.
 *
 * A worker that was suspended for longer must not call: by then another worker may have taken the order over and found
 * nothing upstream, so a late call would place it twice. The rest of the lease leaves room for the longest call.
 */
export const maxPlacingDelayMillis = 30 * second

/** The pause before an order that isn't placed yet, or whose placement is unclear, is tried again. */
export const placingBackoff = backoff(2 * second, 15 * minute)
/** How long a request whose response was lost may take to reach the upstream. */
export const inFlightMillis = minute

/** How long placement is retried, counted from the creation of the order. */
export const placingTimeoutMillis = day

/** The pause between two checks of a payment that has not settled yet. */
export const paymentCheckMillis = minute

/** How long an order's status is polled after its last change; then an operator takes over. */
export const trackingTimeoutMillis = 60 * day

/** The pause before the next status request: a quarter of the time without a change, 15 seconds to 6 hours. */
export const statusIntervalMillis = (unchangedMillis: number): number =>
  Math.min(Math.max(unchangedMillis / 4, 15 * second), 6 * hour)

/** The pause after a status request that failed. */
export const statusBackoff = backoff(15 * second, hour)
