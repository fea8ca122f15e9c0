import { type FakeFacilitator, fakeFacilitator } from "@till402/testing"

/** What a catalogue publishes of one settled payment. */
export interface Listing {
  /** Address, description, name and icon. */
  readonly resource: unknown
  /** Describe how to call it. */
  readonly extensions: unknown
  /** The terms, as buyers are shown them. */
  readonly terms: unknown
}

interface Fields {
  readonly [name: string]: unknown
}

/**
 * A facilitator that lists each service from the payments that it settles, as the official extension `bazaar` does: in
 * version 2 by what the payment contains, in version 1 by the requirements.
 */
export const openCatalogue = (): {
  readonly facilitator: FakeFacilitator
  readonly listings: () => ReadonlyArray<Listing>
} => {
  const facilitator = fakeFacilitator()
  return {
    facilitator,
    listings: () =>
      facilitator.settle.calls.map(([payment, requirements]) => {
        const { accepted, extensions, resource, x402Version } = payment as Fields
        const { description, extra, mimeType, outputSchema, resource: url } = requirements as Fields
        return x402Version === 2
          ? { resource, extensions, terms: accepted }
          : // Like the official one, it prefers extensions in the payment.
            {
              resource: { url, description, mimeType },
              extensions: extensions ?? outputSchema,
              terms: { extra }
            }
      })
  }
}
