import type { ApiFailure } from "./ApiFailure.ts"
import type { ApiError } from "./domain/ApiError.ts"
import { findNetwork } from "./domain/Network.ts"
import type { Receipt } from "./domain/PaymentRequired.ts"
import type { PlainResponse } from "./Exchange.ts"
import type { Challenge } from "./toll/Challenge.ts"
import { encodeHeader } from "./toll/PaymentHeader.ts"
import { ofSize } from "./sized.ts"
import type { Answer } from "./toll/TollRequest.ts"

/** Which browsers may call. */
export type Cors = "*" | ReadonlyArray<string> | false

/** Plain records: what the platform turns into headers the fastest. */
type HeaderRecord = Record<string, string>

const exposed = "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, X-Missing-Marketplaces"
const accepted = "Content-Type, PAYMENT-SIGNATURE, X-PAYMENT, Access-Control-Expose-Headers"
/** Answers differ by payment: a shared cache must never give one caller's to another. */
const varyByPayment = "PAYMENT-SIGNATURE, X-PAYMENT"

const anyOrigin: HeaderRecord = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposed
}
const noOrigin: HeaderRecord = {}

const corsHeaders = (cors: Cors, origin: string | null): HeaderRecord => {
  if (cors === "*") return anyOrigin
  if (cors === false || origin === null || !cors.includes(origin)) return noOrigin
  return { "access-control-allow-origin": origin, "access-control-expose-headers": exposed }
}

const varyOf = (cors: Cors): string => (Array.isArray(cors) ? `${varyByPayment}, Origin` : varyByPayment)

/** 402. Never cached: it may be a quote. */
export const challengeResponse = (
  { body, header }: Challenge,
  cors: Cors,
  origin: string | null,
  withoutBody = false
): PlainResponse => ({
  status: 402,
  headers: {
    "content-type": "application/json",
    "payment-required": header,
    "cache-control": "no-store",
    vary: varyOf(cors),
    ...corsHeaders(cors, origin)
  },
  body: withoutBody ? null : body
})

/** Any error but 402, in the contract's shape. */
export const failureResponse = (failure: ApiFailure, cors: Cors, origin: string | null): PlainResponse => {
  const { allow, code, details, message, retryAfterSeconds, status } = failure
  const body: ApiError = { code, message, ...(details === undefined ? {} : { details }) }
  const headers: HeaderRecord = {
    "content-type": "application/json",
    "cache-control": "no-store",
    vary: varyOf(cors),
    ...corsHeaders(cors, origin)
  }
  if (allow !== undefined) headers["allow"] = allow
  if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds)
  return { status, headers, body: JSON.stringify(body) }
}

/** The answer that was paid for, with its receipt in the words of the payer's protocol version. */
export const paidResponse = (
  paid: { readonly answer: Answer; readonly receipt: Receipt },
  x402Version: 1 | 2,
  cors: Cors,
  origin: string | null
): PlainResponse => {
  const { answer, receipt } = paid
  const headers: HeaderRecord = {
    ...answer.headers,
    "content-type": answer.contentType,
    "payment-response": encodeHeader(receipt),
    "cache-control": "private, no-store",
    vary: varyOf(cors),
    ...corsHeaders(cors, origin)
  }
  if (x402Version === 1) {
    const network = findNetwork(receipt.network)?.v1Name ?? receipt.network
    headers["x-payment-response"] = encodeHeader({ ...receipt, network })
  }
  const { body } = answer
  if (body._tag === "Text") return { status: answer.status, headers, body: body.text }
  const { file, slug } = body
  headers["content-disposition"] = `attachment; filename="${slug.replace(/[^A-Za-z0-9._-]/g, "_")}.zip"`
  // Bytes tell their size themselves, whatever was said of it.
  const size = file.body instanceof Uint8Array ? file.body.byteLength : file.size
  if (size !== undefined) headers["content-length"] = String(size)
  const sent = file.body instanceof ReadableStream && size !== undefined ? ofSize(file.body, size) : file.body
  return { status: answer.status, headers, body: sent }
}

/** A public document. */
export const jsonResponse = (
  text: string,
  cors: Cors,
  origin: string | null,
  withoutBody: boolean
): PlainResponse => ({
  status: 200,
  headers: {
    "content-type": "application/json",
    "cache-control": "public, max-age=300",
    ...(Array.isArray(cors) ? { vary: "Origin" } : {}),
    ...corsHeaders(cors, origin)
  },
  body: withoutBody ? null : text
})

export const preflightResponse = (allow: string, cors: Cors, origin: string | null): PlainResponse => {
  const allowed = corsHeaders(cors, origin)["access-control-allow-origin"]
  return {
    status: 204,
    headers: {
      allow,
      vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
      ...(cors === false
        ? {}
        : {
            ...(allowed === undefined ? {} : { "access-control-allow-origin": allowed }),
            "access-control-allow-methods": allow,
            "access-control-allow-headers": accepted,
            "access-control-max-age": "600"
          })
    },
    body: null
  }
}
