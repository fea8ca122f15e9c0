/*
 * What indexers read of a 402, and stumble over.
 */

/** An offer of a 402. */
export interface ListedOffer {
  readonly network: string
  readonly amount?: string
  readonly payTo: string
}

/** A 402 that has been decoded; of others, nothing is known of its fields. */
export interface ReadChallenge<Offer = ListedOffer> {
  readonly x402Version?: number
  readonly resource?: { readonly url?: string; readonly description?: string }
  readonly accepts: ReadonlyArray<Offer>
  readonly extensions?: { readonly bazaar?: { readonly routeTemplate?: string } }
}

/** Reads a 402 by its JSON; `undefined` if it is none. */
export const readChallenge = <Offer = ListedOffer>(text: string): ReadChallenge<Offer> | undefined => {
  try {
    const challenge = JSON.parse(text) as ReadChallenge<Offer>
    return Array.isArray(challenge.accepts) ? challenge : undefined
  } catch {
    return undefined
  }
}

/** Proxies and clients often allow 8 KB for all headers. */
const maxHeaderBytes = 8_192
/** Longer descriptions are cut by indexers. */
export const maxDescription = 500

export const headerFinding = (header: string): string | undefined =>
  header.length < maxHeaderBytes
    ? undefined
    : `its PAYMENT-REQUIRED header has ${header.length} bytes: many proxies drop more than ${maxHeaderBytes}`

export const descriptionFinding = (description: string): string | undefined =>
  description === ""
    ? "it has no description"
    : description.length > maxDescription
      ? `its description has ${description.length} characters, and indexes cut it`
      : undefined

/** Why a response to a request without a payment gives no price. */
export const statusFinding = (status: number): string | undefined =>
  status === 402
    ? undefined
    : `without input it returned ${status} instead of 402, so no indexer finds a price`
