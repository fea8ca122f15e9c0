/** The lease of an order or a batch of purchases, in milliseconds: longer than any call that its worker makes. */
export const workLeaseMillis = 180_000
