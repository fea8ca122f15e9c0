/** The lease of a batch of background work, in milliseconds: longer than any call that its worker makes. */
export const workLeaseMillis = 180_000
