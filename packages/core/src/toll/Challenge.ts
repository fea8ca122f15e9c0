import type { PaymentOption, PaymentRequired } from "../domain/PaymentRequired.ts"
import { encodeHeader, toBinary } from "./PaymentHeader.ts"
import type { PaymentOffer } from "./Verdict.ts"

/** The resource that is paid for, as both protocol versions describe it. */
export interface Resource {
  /**
   * Absolute, built from the configured base URL. Without query, since tokens and phone numbers stand there; only a 402
   * of an operation with `namesQuery` has it.
   */
  readonly url: string
  readonly description: string
  readonly mimeType: string
  /** Version 1: how to call it, for indexers. */
  readonly outputSchema: Readonly<Record<string, unknown>>
  /** Version 2: the same as an extension. */
  readonly extensions: Readonly<Record<string, unknown>>
}

/** What a facilitator is told of a resource. */
export type ResourceInfo = Pick<Resource, "url" | "description" | "mimeType">

/** A 402 answer, ready to be sent: the version-1 body and the version-2 header of one set of offers. */
export interface Challenge {
  readonly body: string
  /** Value of `PAYMENT-REQUIRED`. */
  readonly header: string
}

const toOption = (offer: PaymentOffer, resource: Resource): PaymentOption | undefined =>
  offer.v1Name === undefined
    ? undefined
    : {
        scheme: offer.requirements.scheme,
        network: offer.v1Name,
        maxAmountRequired: offer.requirements.amount,
        resource: resource.url,
        description: resource.description,
        mimeType: resource.mimeType,
        outputSchema: resource.outputSchema as PaymentOption["outputSchema"] & {},
        payTo: offer.requirements.payTo,
        maxTimeoutSeconds: offer.requirements.maxTimeoutSeconds,
        asset: offer.requirements.asset,
        extra: offer.requirements.extra
      }

/**
 * One 402 that both generations of client can pay. The body has version-1 entries alone, since an
 * official version-1 client throws on a network it does not know; the header has every offer.
 */
export const makeChallenge = (
  offers: ReadonlyArray<PaymentOffer>,
  resource: Resource,
  error: string
): Challenge => ({
  body: JSON.stringify(bodyOf(offers, resource, error)),
  header: encodeHeader(headerOf(offers, resource, error))
})

const bodyOf = (offers: ReadonlyArray<PaymentOffer>, resource: Resource, error: string): PaymentRequired => ({
  x402Version: 1,
  error,
  accepts: offers.map((offer) => toOption(offer, resource)).filter((option) => option !== undefined)
})

const headerOf = (offers: ReadonlyArray<PaymentOffer>, resource: Resource, error: string) => ({
  x402Version: 2,
  error,
  resource: { url: resource.url, description: resource.description, mimeType: resource.mimeType },
  accepts: offers.map((offer) => offer.requirements),
  extensions: resource.extensions
})

/** Stands for the URL in a template; in JSON its control characters are escaped, and nothing else has them. */
const placeholder = "\u0000url\u0000"
const placeholderJson = JSON.stringify(placeholder)

/**
 * The same 402 for many URLs of one resource, all of which are ASCII: writes and encodes everything around the URL
 * once, since every search without payment gets one.
 */
export const challengeTemplate = (
  offers: ReadonlyArray<PaymentOffer>,
  resource: Resource,
  error: string
): ((url: string) => Challenge) => {
  const blank = { ...resource, url: placeholder }
  const [first = "", ...others] = JSON.stringify(bodyOf(offers, blank, error)).split(placeholderJson)
  const [before = "", after = ""] = JSON.stringify(headerOf(offers, blank, error)).split(placeholderJson)
  const [head, tail] = [toBinary(before), toBinary(after)]
  return (url) => {
    const json = JSON.stringify(url)
    let filled = first
    for (const part of others) filled += json + part
    return { body: filled, header: btoa(head + json + tail) }
  }
}
