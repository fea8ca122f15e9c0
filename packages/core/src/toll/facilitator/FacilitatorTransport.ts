import { Context, Effect, Schema } from "effect"
import { type HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import { readBodyText } from "../../runtime/BoundedBody.ts"

/** Maximum response of a facilitator. */
export const maxResponseBytes = 256 * 1024

/** The host's headers function failed, or the response is not JSON of an allowed length. */
export class FacilitatorFault extends Schema.TaggedError<FacilitatorFault>()("FacilitatorFault", {
  cause: Schema.Defect()
}) {}

type Fault = FacilitatorFault | HttpClientError.HttpClientError

/** A response of a facilitator. */
export interface Reply {
  readonly status: number
  readonly retryAfter: string | undefined
  /** The header `EXTENSION-RESPONSES`. */
  readonly extensionResponses?: string | undefined
  /** Where a GET ended, if it was redirected. */
  readonly movedTo?: string | undefined
  /** Fails if the body is too long, or the connection breaks. */
  readonly text: Effect.Effect<string, Fault>
}

export interface FacilitatorCall {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON, sent by POST; `undefined`: GET. */
  readonly json: string | undefined
}

/** The statuses that ask for the same request elsewhere; after others, a POST becomes a GET, and may have taken effect. */
export const repeating: ReadonlySet<number> = new Set([307, 308])

/** Sends a call to a facilitator. The caller sets the deadline by interruption. */
export type SendCall = (call: FacilitatorCall) => Effect.Effect<Reply, Fault>

/** Calls over an `HttpClient`, on any platform. */
export const sendOver = (client: HttpClient.HttpClient): SendCall =>
  Effect.fnUntraced(function* ({ headers, json, url }: FacilitatorCall) {
    const request =
      json === undefined
        ? HttpClientRequest.get(url).pipe(HttpClientRequest.setHeaders(headers))
        : HttpClientRequest.post(url).pipe(
            HttpClientRequest.setHeaders(headers),
            HttpClientRequest.bodyText(json, "application/json")
          )
    const response = yield* client.execute(request)
    const end = URL.parse(response.url)?.href
    return {
      status: response.status,
      movedTo: json === undefined && end !== URL.parse(url)?.href ? end : undefined,
      retryAfter: response.headers["retry-after"],
      extensionResponses: response.headers["extension-responses"],
      text: Effect.catchTag(readBodyText(response, maxResponseBytes), "BodyTooLarge", (cause) =>
        Effect.fail(new FacilitatorFault({ cause }))
      )
    }
  })

/** Makes what sends the calls of one facilitator. By default, over the host's `HttpClient`. */
export const FacilitatorTransport = Context.Reference<(client: HttpClient.HttpClient) => SendCall>(
  "@till402/core/FacilitatorTransport",
  { defaultValue: () => sendOver }
)
