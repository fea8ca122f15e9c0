import { Clock, Effect, Redacted } from "effect"
import {
  FetchHttpClient,
  HttpClient,
  type HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "effect/http"
import { readText } from "./ResponseReader.ts"
import type { UpstreamResponse } from "./UpstreamResponse.ts"
import { parseRateLimit, parseRetryAfter } from "./RateLimit.ts"
import { type ResponseTooLarge, Redirected, Rejected, TimedOut, Unreachable } from "./UpstreamFault.ts"
import type { UsageMeter } from "./UsageMeter.ts"

/** Sends one attempt and reads the whole response within `timeoutMillis`. */
export type Send = (
  request: HttpClientRequest.HttpClientRequest,
  timeoutMillis: number
) => Effect.Effect<UpstreamResponse, ResponseTooLarge | Redirected | Rejected | TimedOut | Unreachable>

/** Keeps the platform's `fetch` from following redirects. */
const requestInit: RequestInit = { redirect: "manual" }

/** Sends attempts over an `HttpClient`. The connection is released with the attempt. */
export const sender = (
  httpClient: HttpClient.HttpClient,
  options: { readonly name: string; readonly meter: UsageMeter; readonly maxResponseBytes: number }
): Send => {
  const { meter, maxResponseBytes, name } = options
  const client = HttpClient.withScope(httpClient)

  const read = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
    const { headers, status } = response
    const now = yield* Clock.currentTimeMillis
    const rateLimit = parseRateLimit(headers, now)
    if (rateLimit !== undefined) yield* meter.recordRateLimit(rateLimit)
    // Browsers report 0 for a redirect that is not followed.
    if (status === 0 || (status >= 300 && status < 400)) return yield* new Redirected({ upstream: name })
    const received: UpstreamResponse = {
      upstream: name,
      status,
      headers,
      text: yield* readText(name, response, maxResponseBytes)
    }
    if (status >= 200 && status < 300) return received
    const retryAfterMillis = parseRetryAfter(headers["retry-after"], now)
    return yield* new Rejected({
      upstream: name,
      status,
      response: Redacted.make(received, { label: `response of ${name}` }),
      ...(retryAfterMillis === undefined ? {} : { retryAfterMillis })
    })
  })

  return (request, timeoutMillis) =>
    Effect.andThen(
      meter.recordRequest(),
      // A copy for each attempt, because the scope belongs to the request object.
      Effect.flatMap(Effect.catch(client.execute(HttpClientRequest.modify(request, {})), ofAnyStatus), read)
    ).pipe(
      Effect.scoped,
      Effect.catchTag("HttpClientError", (error) => broken(name, error)),
      Effect.timeoutOrElse({
        duration: timeoutMillis,
        orElse: () => Effect.fail(new TimedOut({ upstream: name, timeoutMillis }))
      }),
      Effect.provideService(FetchHttpClient.RequestInit, requestInit),
      // The client's spans would contain the URL with keys and queries.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
}

/** The response for whose status the host's client has failed, as with `filterStatusOk`. */
const ofAnyStatus = (error: HttpClientError.HttpClientError) =>
  error.reason._tag === "StatusCodeError" ? Effect.succeed(error.reason.response) : Effect.fail(error)

/** Keeps only the platform's code, because the error contains the request with the key. */
const broken = (
  upstream: string,
  { reason }: HttpClientError.HttpClientError
): Effect.Effect<never, Unreachable> => {
  if (reason._tag === "EncodeError" || reason._tag === "InvalidUrlError") {
    return Effect.die(new Error(`${upstream}: the request can't be built (${reason._tag})`))
  }
  const code = codeOf(reason.cause)
  return Effect.fail(new Unreachable({ upstream, ...(code === undefined ? {} : { code }) }))
}

const maxCauseDepth = 4

/** The platform's code for a broken connection, if it is safe in a log: `ECONNRESET`. */
const codeOf = (cause: unknown, depth = 0): string | undefined => {
  if (typeof cause !== "object" || cause === null || depth > maxCauseDepth) return undefined
  const { cause: inner, code } = cause as { readonly cause?: unknown; readonly code?: unknown }
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : codeOf(inner, depth + 1)
}
