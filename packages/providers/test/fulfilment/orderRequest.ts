/** A caller that doesn't cancel. */
export const context = { signal: new AbortController().signal }

/** A buyer's request for one product, sent to this address. */
export const orderRequest = <const Address>(shippingAddress: Address) =>
  ({
    product: { source: "marketplace_a", asin: "B0TEST0001", productUrl: undefined },
    shippingAddress,
    email: "ada@example.com"
  }) as const
