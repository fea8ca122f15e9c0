import type { IncomingRequest } from "../Exchange.ts"
import type { PaymentPayload } from "../domain/PaymentPayload.ts"
import { readPayload } from "./readPayload.ts"

/** Longest payment header that is looked at: what a proxy lets through in one header. */
export const maxHeaderBytes = 16_384
const maxDepth = 32
/** A payment has some twenty; extensions may bring more. */
const maxFields = 512

/** A payment header, decoded: the payload checked, and the whole document as sent, for the facilitator. */
export interface Payment {
  readonly payload: PaymentPayload
  readonly document: unknown
  /** The text of the document. */
  readonly json: string
}

export type HeaderReading =
  | { readonly _tag: "None" }
  | { readonly _tag: "Payment"; readonly payment: Payment }
  | { readonly _tag: "Malformed"; readonly reason: string }

const malformed = (reason: string): HeaderReading => ({ _tag: "Malformed", reason })

/**
 * Reads the payment of a request from `PAYMENT-SIGNATURE` or `X-PAYMENT`, whichever is there. The
 * version is what the decoded document says, never the header's name: a client that knows only the
 * contract may send a version-1 payload in `PAYMENT-SIGNATURE`. Total and bounded: any text gives a
 * reading, and no more than 16 KB of it is looked at.
 */
export const readPayment = (request: Pick<IncomingRequest, "header">): HeaderReading => {
  const signature = request.header("payment-signature")
  const legacy = request.header("x-payment")
  if (signature === null && legacy === null) return { _tag: "None" }
  if (signature !== null && legacy !== null && signature !== legacy) {
    return malformed("PAYMENT-SIGNATURE and X-PAYMENT hold different payments; send one")
  }
  return decodePayment((signature ?? legacy)!)
}

/** Decodes the value of a payment header: standard base64 of JSON. */
export const decodePayment = (text: string): HeaderReading => {
  if (text.length > maxHeaderBytes)
    return malformed(`the payment header is longer than ${maxHeaderBytes} bytes`)
  const binary = fromBase64(text)
  if (binary === undefined) return malformed("the payment header is not one base64 value")
  const json = toText(binary)
  if (json === undefined) return malformed("the payment header is not base64 of UTF-8 text")
  if (mayBeTooMuch(json)) {
    const { depth, fields } = measure(json)
    if (depth > maxDepth) return malformed("the payment header is nested too deeply")
    if (fields > maxFields) return malformed("the payment header has too many fields")
  }
  let document: unknown
  try {
    document = JSON.parse(json)
  } catch {
    return malformed("the payment header is not base64 of JSON")
  }
  if (typeof document !== "object" || document === null || !("x402Version" in document)) {
    return malformed("the payment header has no x402Version")
  }
  const { x402Version } = document
  if (x402Version !== 1 && x402Version !== 2) return malformed("x402Version must be 1 or 2")
  const payload = readPayload(document)
  return payload === undefined
    ? malformed("the payment is not an exact EVM payment: payload needs signature and authorization")
    : { _tag: "Payment", payment: withOneAuthorization({ payload, document, json }) }
}

/**
 * A payment with nothing beside its signature and authorization: a facilitator that finds the fields of another
 * method there, such as `permit2Authorization`, takes the payment for one of those, and its payer for another.
 */
const withOneAuthorization = (payment: Payment): Payment => {
  const exact = payment.payload.payload
  const document = payment.document as { readonly payload: { readonly authorization: object } }
  const isAlone =
    Object.keys(document.payload).length === 2 &&
    Object.keys(document.payload.authorization).length === Object.keys(exact.authorization).length
  if (isAlone) return payment
  const alone = { ...document, payload: exact }
  return { payload: payment.payload, document: alone, json: JSON.stringify(alone) }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })
const encoder = new TextEncoder()
/** Room for the bytes of a payment header, written and never read. */
const scratch = new Uint8Array(maxHeaderBytes)

/** Whether a text is ASCII alone: each of its characters then makes one byte. Native, where a pattern isn't. */
const isAscii = (text: string): boolean => {
  if (text.length > scratch.length) return encoder.encode(text).length === text.length
  const { read, written } = encoder.encodeInto(text, scratch)
  return read === text.length && written === text.length
}

/** What `atob` passes over. Its speed is native, a pattern's over 1,200 characters is not. */
const whitespace = [" ", "\t", "\n", "\f", "\r"]

/** The bytes of one base64 value, a character each. */
const fromBase64 = (text: string): string | undefined => {
  if (text.length === 0 || whitespace.some((character) => text.includes(character))) return undefined
  try {
    return atob(text)
  } catch {
    return undefined
  }
}

const toText = (binary: string): string | undefined => {
  // Payments are ASCII but for a name now and then: bytes are their own text.
  if (isAscii(binary)) return binary
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Where the string that opens at `quote` closes; its escapes are skipped. */
const endOfString = (json: string, quote: number): number => {
  for (let end = json.indexOf('"', quote + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0
    while (json.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return json.length
}

/** Whether a text has so often at least one of `characters`; strings in it are not told apart. */
const hasOften = (text: string, characters: ReadonlyArray<string>, times: number): boolean => {
  let left = times
  for (const character of characters) {
    let index = text.indexOf(character)
    while (index !== -1) {
      if (--left === 0) return true
      index = text.indexOf(character, index + 1)
    }
  }
  return false
}

/** What most payments are told by at once: without so many brackets and commas, nothing is deep or has many fields. */
const mayBeTooMuch = (json: string): boolean =>
  hasOften(json, ["{", "["], maxDepth + 1) || hasOften(json, [","], maxFields)

/** How deep brackets nest in JSON text, and how many members and elements it has, counted without parsing it. */
const measure = (json: string): { readonly depth: number; readonly fields: number } => {
  let depth = 0
  let deepest = 0
  let fields = 1
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (code === 0x22) index = endOfString(json, index)
    else if (code === 0x2c) fields++
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x5d || code === 0x7d) depth--
  }
  return { depth: deepest, fields }
}

/** The UTF-8 bytes of a text, a character each: what `btoa` takes. */
export const toBinary = (text: string): string => {
  if (isAscii(text)) return text
  let binary = ""
  for (const byte of encoder.encode(text)) binary += String.fromCharCode(byte)
  return binary
}

/** Standard base64 of a value's JSON: what every x402 header holds. */
export const encodeHeader = (value: unknown): string => btoa(toBinary(JSON.stringify(value)))

/**
 * A payment whose `resource` names no query: clients repeat the URL that they requested, and a tracking number or a
 * download token in it is neither the facilitator's nor the store's to know. No signature covers `resource`.
 */
export const withoutQuery = (payment: Payment): Payment => {
  const { payload } = payment
  if (payload.x402Version !== 2 || payload.resource === undefined) return payment
  const end = payload.resource.url.search(/[?#]/)
  if (end === -1) return payment
  const url = payload.resource.url.slice(0, end)
  const sent = payment.document as { readonly resource: object }
  const document = { ...sent, resource: { ...sent.resource, url } }
  return { payload: { ...payload, resource: { url } }, document, json: JSON.stringify(document) }
}
