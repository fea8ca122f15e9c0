import { Effect } from "effect"
import { ApiFailure } from "../domain/ApiFailure.ts"
import { maxBodyBytes } from "../operations/BodyLimits.ts"
import { readBytes } from "../runtime/BoundedBody.ts"
import { tryWithTimeout } from "../runtime/Deadline.ts"
import { isObject } from "../runtime/isObject.ts"
import { measureJson } from "../toll/request/PaymentHeader.ts"

const tooLarge = new ApiFailure({
  status: 413,
  code: "BODY_TOO_LARGE",
  message: `The body is larger than ${maxBodyBytes} bytes.`
})
const malformed = new ApiFailure({
  status: 400,
  code: "MALFORMED_JSON",
  message: "The body is not valid JSON in UTF-8, nested at most 500 levels deep, with numbers below 1e308."
})
const wrongType = new ApiFailure({
  status: 415,
  code: "UNSUPPORTED_MEDIA_TYPE",
  message: "Send the body as application/json, not compressed."
})

/** A body that didn't arrive in time. */
export const tooSlow = new ApiFailure({
  status: 408,
  code: "BODY_TOO_SLOW",
  message: "The body took too long to arrive. Nothing was charged; send the request again."
})

/** Longest that a body may take: 64 KiB over the slowest of lines. */
export const bodyTimeoutMillis = 15_000

/** What reads a value level by level would fail on more as a defect of the service. */
const maxDepth = 500

const utf8 = new TextDecoder("utf-8", { fatal: true })
/** One character for each byte: different bytes give different text. */
const byteText = new TextDecoder("latin1")

/** The body of a request: `Empty` for none, and for `{}`, which indexers send as a probe. */
export type Body =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Json"; readonly value: unknown; readonly text: string }

const isEmptyObject = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0

/** JSON reads larger numbers as `Infinity`, and writes that as `null`: what a route returns of them would be lost. */
const hasInfinity = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).some(hasInfinity)
    : typeof value === "number" && !Number.isFinite(value)

/** Reads the bytes of a body, bounded; none where there is no body. */
const readBounded = Effect.fnUntraced(function* (request: Request): Effect.fn.Return<Uint8Array, ApiFailure> {
  const { body } = request
  if (body === null) return new Uint8Array()
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) return yield* tooLarge
  const bytes = yield* tryWithTimeout({
    timeoutMillis: bodyTimeoutMillis,
    call: ({ signal }) => readBytes(body, maxBodyBytes, signal),
    catch: () => malformed,
    onTimeout: () => tooSlow
  })
  return bytes ?? (yield* tooLarge)
})

/** Reads a JSON body, bounded. */
export const readBody = Effect.fnUntraced(function* (request: Request): Effect.fn.Return<Body, ApiFailure> {
  const bytes = yield* readBounded(request)
  if (bytes.byteLength === 0) return { _tag: "Empty" }
  const encoding = request.headers.get("content-encoding")
  if (encoding !== null && encoding !== "identity") return yield* wrongType
  const type = request.headers.get("content-type")
  if (type !== null && !/^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i.test(type)) return yield* wrongType
  return yield* Effect.try({
    try: (): Body => {
      const text = utf8.decode(bytes)
      if (measureJson(text).depth > maxDepth) throw malformed
      const value: unknown = JSON.parse(text)
      if (hasInfinity(value)) throw malformed
      return isEmptyObject(value) ? { _tag: "Empty" } : { _tag: "Json", value, text }
    },
    catch: () => malformed
  })
})

/** The body of a request that a handler of the host reads itself, as a payment is bound to it: of any type. */
export const readRawBody = Effect.fnUntraced(function* (
  request: Request
): Effect.fn.Return<unknown, ApiFailure> {
  const bytes = yield* readBounded(request)
  const { headers } = request
  return {
    type: headers.get("content-type"),
    encoding: headers.get("content-encoding"),
    bytes: byteText.decode(bytes)
  }
})
