import { Cause, Effect, Option } from "effect"
import { ApiFailure, defectFailure } from "../domain/ApiFailure.ts"
import type { ApiError } from "../domain/ApiError.ts"
import { findNetwork } from "../domain/Network.ts"
import type { PaymentPayload } from "../domain/PaymentPayload.ts"
import type { Receipt } from "../domain/PaymentRequired.ts"
import type { PlainResponse } from "./HttpMessage.ts"
import type { Challenge } from "../toll/request/Challenge.ts"
import { report } from "../runtime/events.ts"
import { payerOf } from "../toll/exact/SignedPayment.ts"
import { encodeHeader } from "../toll/request/PaymentHeader.ts"
import type { WorkResponse } from "../toll/request/TollRequest.ts"

/** Which browser origins may call. */
export type Cors = "*" | ReadonlyArray<string> | false

/** Plain records: the fastest form to turn into headers. */
type HeaderRecord = Record<string, string>

const exposed =
  "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, Accept-Ranges, Content-Disposition, Content-Range, ETag"
const exposedNames = new Set(exposed.toLowerCase().split(", "))
const accepted =
  "Content-Type, PAYMENT-SIGNATURE, X-PAYMENT, SIGN-IN-WITH-X, Status-Token, Range, If-Range, Access-Control-Expose-Headers, Idempotency-Key, Traceparent, Tracestate, X-Request-Id"
/** Responses vary by payment: a shared cache must never return one caller's response to another. */
export const varyByPayment = "PAYMENT-SIGNATURE, X-PAYMENT"

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

/** What a page reads of a 402, whose headers have little room. */
const exposedOfChallenge = "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE"
const anyOriginOfChallenge: HeaderRecord = {
  ...anyOrigin,
  "access-control-expose-headers": exposedOfChallenge
}

const challengeCorsHeaders = (cors: Cors, origin: string | null): HeaderRecord => {
  const allowed = corsHeaders(cors, origin)
  if (allowed === anyOrigin) return anyOriginOfChallenge
  return allowed === noOrigin ? noOrigin : { ...allowed, "access-control-expose-headers": exposedOfChallenge }
}

/** Lets pages of other origins read the headers that the work has set. */
const exposeOwn = (headers: HeaderRecord, { headers: own }: WorkResponse): void => {
  const names = headers["access-control-expose-headers"]
  if (names === undefined || own === undefined) return
  const others = Object.keys(own).filter((name) => !exposedNames.has(name))
  headers["access-control-expose-headers"] = [names, ...others].join(", ")
}

const varyOf = (cors: Cors): string => (Array.isArray(cors) ? `${varyByPayment}, Origin` : varyByPayment)

interface Mount {
  readonly baseUrl: string
  readonly openapiPath: string | undefined
}

/** 404, with where the paths of a service begin: a host may have mounted it elsewhere, or a second till. */
export const notFoundBelow = ({ baseUrl, openapiPath }: Mount): ApiFailure =>
  new ApiFailure({
    status: 404,
    code: "NOT_FOUND",
    message: `There is nothing at this path. The paths of this service begin with ${baseUrl}/${openapiPath === undefined ? "" : `, and ${baseUrl}${openapiPath} lists them`}.`
  })

const rangeNotSatisfiable = new ApiFailure({
  status: 416,
  code: "RANGE_NOT_SATISFIABLE",
  message:
    "The file has no bytes in this range. Nothing more was charged: send the same payment without Range, or with another one."
})

/** The 402 response. Never cached: it may contain a quote. */
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
    ...challengeCorsHeaders(cors, origin)
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

/** A 500 for a defect in `operation`. Its details are logged under an id; the caller gets only the id. */
export const requestFailed = (
  cause: Cause.Cause<unknown>,
  { cors }: { readonly cors: Cors },
  corsOrigin: string | null,
  operation?: string
): Effect.Effect<PlainResponse> => {
  const id = crypto.randomUUID()
  const failure = defectFailure({ id })
  return Effect.as(
    report(
      "Error",
      "request_failed",
      "A request failed because of a defect",
      { operation, incidentId: id },
      cause
    ),
    failureResponse(failure, cors, corsOrigin)
  )
}

/** How a handler responds when it fails: with its failure, or with a 500. */
export const responded = <A, E, B>(
  handling: Effect.Effect<A, E>,
  settings: { readonly cors: Cors },
  corsOrigin: string | null,
  failed: (failure: E) => Effect.Effect<B>,
  operation?: string
): Effect.Effect<A | B | PlainResponse> =>
  Effect.catchCause(handling, (cause): Effect.Effect<B | PlainResponse> => {
    const failure = Cause.hasDies(cause) ? Option.none() : Cause.findErrorOption(cause)
    return Option.isNone(failure)
      ? requestFailed(cause, settings, corsOrigin, operation)
      : failed(failure.value)
  })

/** Sends the caller to the file. Type and name are those of the response there. */
const redirected = (
  { "content-disposition": _name, "content-type": _type, ...headers }: HeaderRecord,
  location: string
): PlainResponse => ({ status: 302, headers: { ...headers, location }, body: null })

/** A response that is paid, or free for its caller: its headers, with others, and its body. */
const contentResponse = (
  response: WorkResponse,
  others: HeaderRecord,
  cors: Cors,
  origin: string | null
): PlainResponse => {
  const headers: HeaderRecord = {
    ...response.headers,
    "content-type": response.contentType,
    "cache-control": "private, no-store",
    vary: varyOf(cors),
    ...corsHeaders(cors, origin),
    ...others
  }
  exposeOwn(headers, response)
  const { body, status } = response
  // The web allows no body, not even an empty one, for 204 and 205.
  if (body._tag === "Text")
    return { status, headers, body: status === 204 || status === 205 ? null : body.text }
  const { content } = body
  if (content.redirect !== undefined) return redirected(headers, content.redirect)
  // The length of bytes is known, whatever size was declared.
  const size = content.body instanceof Uint8Array ? content.body.byteLength : content.size
  if (size !== undefined) headers["content-length"] = String(size)
  return { status, headers, body: content.body }
}

/** The response to a wallet that has signed in. Nothing was paid, so it has no receipt. */
export const freeResponse = (response: WorkResponse, cors: Cors, origin: string | null): PlainResponse =>
  contentResponse(response, {}, cors, origin)

/** A response that depends on the proof of a wallet, and maybe on another header. */
export const withSignInHeaders = <Made extends PlainResponse | Response>(
  response: Made,
  ...others: ReadonlyArray<string>
): Made => {
  if (response instanceof Response) return response
  const { headers } = response
  const vary = [headers["vary"] ?? varyByPayment, "SIGN-IN-WITH-X", ...others].join(", ")
  return { ...response, headers: { ...headers, vary } }
}

/** The paid response, with its receipt in the payer's protocol version. */
export const paidResponse = (
  paid: { readonly response: WorkResponse; readonly receipt: Receipt },
  x402Version: 1 | 2,
  cors: Cors,
  origin: string | null
): PlainResponse => {
  const { receipt, response } = paid
  const receipts: HeaderRecord = { "payment-response": encodeHeader(receipt) }
  if (x402Version === 1) {
    const network = findNetwork(receipt.network)?.v1Name ?? receipt.network
    receipts["x-payment-response"] = encodeHeader({ ...receipt, network })
  }
  return contentResponse(response, receipts, cors, origin)
}

/** Longest name of a network that is repeated to the payer who wrote it. */
const maxNetworkLength = 64

/** The 402 of a refused payment, with the reason where a receipt would be. */
export const withRefusal = (
  challenge: PlainResponse,
  errorReason: string,
  payload: PaymentPayload
): PlainResponse => {
  const given = payload.x402Version === 1 ? payload.network : payload.accepted.network
  const known = findNetwork(given)
  const named = given.slice(0, maxNetworkLength)
  const refusal = { success: false, errorReason, transaction: "", payer: payerOf(payload) }
  const headers: HeaderRecord = {
    ...challenge.headers,
    "payment-response": encodeHeader({ ...refusal, network: known?.caip2 ?? named })
  }
  if (payload.x402Version === 1)
    headers["x-payment-response"] = encodeHeader({ ...refusal, network: known?.v1Name ?? named })
  return { ...challenge, headers }
}

/** The same of a payment header that can't be read. Its network is the one that is offered first. */
export const withUnreadable = (
  challenge: PlainResponse,
  errorReason: string,
  network = ""
): PlainResponse => ({
  ...challenge,
  headers: {
    ...challenge.headers,
    "payment-response": encodeHeader({ success: false, errorReason, transaction: "", network })
  }
})

/** No byte of the file is in the range of the request. The payment can be sent again with another one. */
export const unsatisfiableResponse = (size: number, cors: Cors, origin: string | null): PlainResponse => {
  const { body, headers, status } = failureResponse(rangeNotSatisfiable, cors, origin)
  return { status, headers: { ...headers, "content-range": `bytes */${size}` }, body }
}

/** A public document. */
export const documentResponse = (
  { contentType, text }: { readonly contentType: string; readonly text: string },
  cors: Cors,
  origin: string | null,
  withoutBody: boolean
): PlainResponse => ({
  status: 200,
  headers: {
    "content-type": contentType,
    "cache-control": "public, max-age=300",
    ...(Array.isArray(cors) ? { vary: "Origin" } : {}),
    ...corsHeaders(cors, origin)
  },
  body: withoutBody ? null : text
})

/** `ownHeader`: a request header of the path alone. */
export const preflightResponse = (
  allow: string,
  cors: Cors,
  origin: string | null,
  ownHeader?: string
): PlainResponse => {
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
            "access-control-allow-headers": ownHeader === undefined ? accepted : `${accepted}, ${ownHeader}`,
            "access-control-max-age": "600"
          })
    },
    body: null
  }
}
