/** Longer than any payment can stay unsettled, in milliseconds: an authorization lives 10 minutes at most. */
export const paymentLifetimeMillis = 15 * 60_000
