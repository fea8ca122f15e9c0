import type { PaymentOption, PaymentRequired, ServiceIdentity } from "../../domain/PaymentRequired.ts"
import { encodeHeader } from "./PaymentHeader.ts"
import type { PaymentOffer } from "./Verdict.ts"

/** The paid resource, as both protocol versions describe it. */
export interface Resource {
  /**
   * Absolute, built from the configured base URL. Without a query, which may hold tokens and tracking numbers; only the
   * 402 of an operation with `queryInResource` includes it.
   */
  readonly url: string
  readonly description: string
  readonly mimeType: string
  /** What this request buys, which the body says in place of `description`. */
  readonly offered?: string | undefined
  /** How the header names the service. */
  readonly service?: ServiceIdentity | undefined
  /** Follows the error in the body: the header, which has little room, leaves it out. */
  readonly notice?: string | undefined
  /** Version 1: describes the call, for indexers. */
  readonly outputSchema: Readonly<Record<string, unknown>>
  /** Version 2: the same, as an extension. A refused payment's 402 leaves it out. */
  readonly discovery?: Readonly<Record<string, unknown>> | undefined
  /** Version 2: what a payment may contain besides. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
}

/** A 402 response: the version-1 body and the version-2 header of one set of offers. */
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
        description: resource.offered ?? resource.description,
        mimeType: resource.mimeType,
        outputSchema: resource.outputSchema as PaymentOption["outputSchema"] & {},
        payTo: offer.requirements.payTo,
        maxTimeoutSeconds: offer.requirements.maxTimeoutSeconds,
        asset: offer.requirements.asset,
        extra: offer.requirements.extra
      }

/**
 * Makes a 402 that clients of both protocol versions can pay. The body has only version-1 entries, since an official
 * version-1 client throws on networks it doesn't know; the header has every offer. `detail` continues the body's error: a
 * header has little room.
 */
export const makeChallenge = (
  offers: ReadonlyArray<PaymentOffer>,
  resource: Resource,
  error: string,
  detail = ""
): Challenge => ({
  body: JSON.stringify(bodyOf(offers, resource, error + detail)),
  header: encodeHeader(headerOf(offers, resource, error))
})

const bodyOf = (offers: ReadonlyArray<PaymentOffer>, resource: Resource, error: string): PaymentRequired => ({
  x402Version: 1,
  error: resource.notice === undefined ? error : `${error}. ${resource.notice}`,
  accepts: offers.map((offer) => toOption(offer, resource)).filter((option) => option !== undefined)
})

const headerOf = (
  offers: ReadonlyArray<PaymentOffer>,
  { description, discovery, extensions, mimeType, service, url }: Resource,
  error: string
) => ({
  x402Version: 2,
  error,
  resource: { url, description, mimeType, ...service },
  accepts: offers.map((offer) => offer.requirements),
  extensions: { ...discovery, ...extensions }
})

/** Stands for the URL in a template: JSON escapes its control characters, and nothing else has them. */
const placeholder = "\u0000url\u0000"

/** Makes a text from the JSON of a URL. */
type Template = (urlJson: string) => string

/** Fills the URL into JSON that was written once: writing it anew would take longer than all else of a 402. */
const templateOf = (json: string): Template => {
  const parts = json.split(JSON.stringify(placeholder))
  return (urlJson) => parts.join(urlJson)
}

/** The same in base64, for JSON in which the URL stands once: all but its surroundings is encoded once. */
const base64TemplateOf = (json: string): Template => {
  const [before = "", after = ""] = json.split(JSON.stringify(placeholder))
  // Three bytes are four characters.
  const whole = before.length - (before.length % 3)
  const head = btoa(before.slice(0, whole))
  const start = before.slice(whole)
  const tails = [0, 2, 1].map((taken) => ({ taken: after.slice(0, taken), base64: btoa(after.slice(taken)) }))
  return (urlJson) => {
    const { base64, taken } = tails[(start.length + urlJson.length) % 3]!
    // Joined, and not added: a text in pieces would be read slowly.
    return [head, btoa(start + urlJson + taken), base64].join("")
  }
}

/** Makes the same 402 for many URLs of one resource, all of which are ASCII. */
export const challengeTemplate = (
  offers: ReadonlyArray<PaymentOffer>,
  resource: Resource,
  error: string
): ((url: string) => Challenge) => {
  const { body, header } = makeChallenge(offers, { ...resource, url: placeholder }, error)
  const bodyFor = templateOf(body)
  const headerFor = base64TemplateOf(atob(header))
  return (url) => {
    const urlJson = JSON.stringify(url)
    return { body: bodyFor(urlJson), header: headerFor(urlJson) }
  }
}
