import type { PaymentOption, PaymentRequired } from "../domain/PaymentRequired.ts"
import { encodeHeader } from "./PaymentHeader.ts"
import type { PaymentOffer } from "./Verdict.ts"

/** The resource that is paid for, as both protocol versions describe it. */
export interface Resource {
  /** Absolute, built from the configured base URL, without query: tokens and phone numbers stand there. */
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
): Challenge => {
  const body: PaymentRequired = {
    x402Version: 1,
    error,
    accepts: offers.map((offer) => toOption(offer, resource)).filter((option) => option !== undefined)
  }
  const header = encodeHeader({
    x402Version: 2,
    error,
    resource: { url: resource.url, description: resource.description, mimeType: resource.mimeType },
    accepts: offers.map((offer) => offer.requirements),
    extensions: resource.extensions
  })
  return { body: JSON.stringify(body), header }
}
