import { Clock, Effect, Redacted } from "effect"
import {
  FetchHttpClient,
  HttpClient,
  type HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "effect/http"
import { type Answer, readText } from "./Answer.ts"
import { parseRateLimit, parseRetryAfter } from "./RateLimit.ts"
import { type AnswerTooLarge, Redirected, Rejected, TimedOut, Unreachable } from "./UpstreamFault.ts"
import type { Ledger } from "./Usage.ts"

/** One attempt: sends the request and reads the whole answer within `timeoutMillis`. */
export type Send = (
  request: HttpClientRequest.HttpClientRequest,
  timeoutMillis: number
) => Effect.Effect<Answer, AnswerTooLarge | Redirected | Rejected | TimedOut | Unreachable>

/** The platform's fetch must not follow redirects either. */
const requestInit: RequestInit = { redirect: "manual" }

/** Attempts over an `HttpClient`. The connection is given up with the attempt, whatever becomes of it. */
export const sender = (
  httpClient: HttpClient.HttpClient,
  options: { readonly name: string; readonly ledger: Ledger; readonly maxAnswerBytes: number }
): Send => {
  const { ledger, maxAnswerBytes, name } = options
  const client = HttpClient.withScope(httpClient)

  const read = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
    const { headers, status } = response
    const now = yield* Clock.currentTimeMillis
    const rateLimit = parseRateLimit(headers, now)
    if (rateLimit !== undefined) yield* ledger.rateWasTold(rateLimit)
    // 0 is what browsers show of a redirect that they were told not to follow.
    if (status === 0 || (status >= 300 && status < 400)) return yield* new Redirected({ upstream: name })
    const answer: Answer = {
      upstream: name,
      status,
      headers,
      text: yield* readText(name, response, maxAnswerBytes)
    }
    if (status >= 200 && status < 300) return answer
    const retryAfterMillis = parseRetryAfter(headers["retry-after"], now)
    return yield* new Rejected({
      upstream: name,
      status,
      answer: Redacted.make(answer, { label: `answer of ${name}` }),
      ...(retryAfterMillis === undefined ? {} : { retryAfterMillis })
    })
  })

  return (request, timeoutMillis) =>
    Effect.andThen(
      ledger.requestSent(),
      // The scope belongs to one request object, hence a copy for each attempt.
      Effect.flatMap(client.execute(HttpClientRequest.modify(request, {})), read)
    ).pipe(
      Effect.scoped,
      Effect.catchTag("HttpClientError", (error) => broken(name, error)),
      Effect.timeoutOrElse({
        duration: timeoutMillis,
        orElse: () => Effect.fail(new TimedOut({ upstream: name, timeoutMillis }))
      }),
      Effect.provideService(FetchHttpClient.RequestInit, requestInit),
      // The client's own spans would show the URL, where keys and queries stand.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
}

/** Only the platform's code is kept: the error holds the request, and that holds the key. */
const broken = (
  upstream: string,
  { reason }: HttpClientError.HttpClientError
): Effect.Effect<never, Unreachable> => {
  if (reason._tag === "EncodeError" || reason._tag === "InvalidUrlError") {
    return Effect.die(new Error(`${upstream}: the request can't be formed (${reason._tag})`))
  }
  const code = codeOf(reason.cause)
  return Effect.fail(new Unreachable({ upstream, ...(code === undefined ? {} : { code }) }))
}

const maxCauseDepth = 4

/** The platform's word for a broken connection, if it is one that can stand in a log: `ECONNRESET`. */
const codeOf = (cause: unknown, depth = 0): string | undefined => {
  if (typeof cause !== "object" || cause === null || depth > maxCauseDepth) return undefined
  const { cause: inner, code } = cause as { readonly cause?: unknown; readonly code?: unknown }
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : codeOf(inner, depth + 1)
}
