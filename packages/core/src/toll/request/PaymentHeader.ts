import { Option, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { fromBase64, toText } from "../../domain/Base64.ts"
import {
  type EvmPaymentPayload,
  type PaymentPayload,
  PaymentPayloadV1,
  PaymentPayloadV2,
  type SignedPayload,
  SolanaPayloadV1,
  SolanaPayloadV2
} from "../../domain/PaymentPayload.ts"
import { readBase64Transaction } from "../../domain/SolanaTransaction.ts"
import { compiled } from "../../runtime/compiled.ts"

/** Longest payment header that is read: proxies reject longer ones. */
export const maxHeaderBytes = 16_384
const maxDepth = 32
/** A payment has some twenty fields; extensions may add more. */
const maxFields = 512

/** A decoded payment header. */
export interface Payment {
  readonly payload: PaymentPayload
  /**
   * The only part that facilitators receive. No signature covers the rest, which the payer may have made up. Nor does it
   * contain other fields: a facilitator that finds another method's, such as `permit2Authorization`, would use that
   * method, with another payer.
   */
  readonly signed: SignedPayload
  /** The id that the client gave it by the extension `payment-identifier`, unchecked; empty if it isn't text. */
  readonly paymentId?: string | undefined
}

/** Key of the extension by which a client names its payment, so that it finds what became of it. */
export const paymentIdentifier = "payment-identifier"

/** Whether a client may name a payment so. */
export const isPaymentId = (id: string): boolean => /^[A-Za-z0-9_-]{16,128}$/.test(id)

/** The id of a payment, by its extension. */
const paymentIdOf = (document: object): string | undefined => {
  const extensions: unknown = "extensions" in document ? document.extensions : undefined
  if (typeof extensions !== "object" || extensions === null) return undefined
  const extension: unknown = Reflect.get(extensions, paymentIdentifier)
  const info: unknown =
    typeof extension === "object" && extension !== null ? Reflect.get(extension, "info") : undefined
  const id: unknown = typeof info === "object" && info !== null ? Reflect.get(info, "id") : undefined
  return id === undefined || typeof id === "string" ? id : ""
}

export type HeaderReading =
  | { readonly _tag: "None" }
  | { readonly _tag: "Payment"; readonly payment: Payment }
  | { readonly _tag: "Malformed"; readonly reason: string }

const decodeV1 = Schema.decodeUnknownOption(compiled(PaymentPayloadV1))
const decodeV2 = Schema.decodeUnknownOption(compiled(PaymentPayloadV2))
const decodeSolanaV1 = Schema.decodeUnknownOption(compiled(SolanaPayloadV1))
const decodeSolanaV2 = Schema.decodeUnknownOption(compiled(SolanaPayloadV2))

const malformed = (reason: string): HeaderReading => ({ _tag: "Malformed", reason })

/**
 * Reads the payment of a request from `PAYMENT-SIGNATURE` or `X-PAYMENT`. The decoded document determines the version,
 * not the header: a client that knows only the contract may send a version-1 payload in `PAYMENT-SIGNATURE`. Never
 * fails, and reads at most 16 KB.
 */
export const readPayment = (request: { readonly header: (name: string) => string | null }): HeaderReading => {
  const signature = request.header("payment-signature")
  const legacy = request.header("x-payment")
  if (signature === null && legacy === null) return { _tag: "None" }
  if (signature !== null && legacy !== null && signature !== legacy) {
    return malformed("PAYMENT-SIGNATURE and X-PAYMENT contain different payments; send one")
  }
  return decodePayment((signature ?? legacy)!)
}

/** The value of a header that a proxy has doubled: `a, a` is `a`. Base64 has no comma. */
const undoubled = (text: string): string => {
  const comma = text.indexOf(",")
  const first = text.slice(0, comma).trim()
  return first === text.slice(comma + 1).trim() ? first : text
}

/** Decodes the value of a payment header: standard base64 of JSON. */
export const decodePayment = (value: string): HeaderReading => {
  const text = value.includes(",") ? undoubled(value) : value
  if (text.length > maxHeaderBytes)
    return malformed(`the payment header is longer than ${maxHeaderBytes} bytes`)
  const bytes = fromBase64(text)
  if (bytes === undefined) return malformed("the payment header is not one base64 value")
  const json = toText(bytes)
  if (json === undefined) return malformed("the payment header is not base64 of UTF-8 text")
  const { depth, fields } = measureJson(json)
  if (depth > maxDepth) return malformed("the payment header is nested too deeply")
  if (fields > maxFields) return malformed("the payment header has too many fields")
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
  const payload: Option.Option<EvmPaymentPayload> =
    x402Version === 1 ? decodeV1(document) : decodeV2(document)
  return Option.isNone(payload)
    ? readSolanaPayment(x402Version, document)
    : paid({ payload: payload.value, signed: payload.value.payload }, document)
}

const paid = (payment: Payment, document: object): HeaderReading => {
  const paymentId = paymentIdOf(document)
  return { _tag: "Payment", payment: paymentId === undefined ? payment : { ...payment, paymentId } }
}

const notExact =
  "the payment is not an exact payment: on EVM, payload needs signature and authorization; on Solana, transaction"

const readSolanaPayment = (x402Version: 1 | 2, document: unknown): HeaderReading => {
  const decoded: Option.Option<typeof SolanaPayloadV1.Type | typeof SolanaPayloadV2.Type> =
    x402Version === 1 ? decodeSolanaV1(document) : decodeSolanaV2(document)
  if (Option.isNone(decoded)) return malformed(notExact)
  const signed = decoded.value.payload
  const reading = readBase64Transaction(signed.transaction)
  if (reading._tag === "Malformed") return malformed(reading.reason)
  const payload = { ...decoded.value, payload: { transaction: reading.transaction } }
  return paid({ payload, signed }, document as object)
}

/** The index of the closing quote of the string that opens at `quote`. */
const endOfString = (json: string, quote: number): number => {
  for (let end = json.indexOf('"', quote + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0
    while (json.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return json.length
}

/** Measures how deep JSON text nests, and how many members and elements it has, without parsing it. */
export const measureJson = (json: string): { readonly depth: number; readonly fields: number } => {
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

/** Encodes an x402 header: standard base64 of a value's JSON. */
export const encodeHeader = (value: unknown): string => Base64.encode(JSON.stringify(value))
