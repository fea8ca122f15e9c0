import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { http, type Transport } from "viem"
import { readBodyText } from "../../runtime/BoundedBody.ts"

/** Deadline of one request. A read has the same deadline for both of its attempts. */
const requestMillis = 5_000
/** The same bound as in viem's own transport. */
const maxResponseBytes = 10 * 1024 * 1024

/** Sends viem's requests with an HTTP client of Effect. Rejects when the request fails or the body is too large. */
const fetchWith =
  (client: HttpClient.HttpClient) =>
  (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const target = url instanceof Request ? url.url : url
    const request = HttpClientRequest.post(target).pipe(
      HttpClientRequest.setHeaders(new Headers(init.headers)),
      HttpClientRequest.bodyText(String(init.body), "application/json")
    )
    return Effect.runPromise(
      Effect.gen(function* () {
        const response = yield* client.execute(request)
        const text = yield* readBodyText(response, maxResponseBytes)
        return new Response(text === "" ? null : text, { status: response.status, headers: response.headers })
      }).pipe(
        // The endpoint's URL may contain a key, which a span would record.
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
      ),
      { signal: init.signal ?? undefined }
    )
  }

/** viem's transport of JSON-RPC over HTTP, with its errors and one retry, over an HTTP client of Effect. */
export const rpcTransport = (url: string, client: HttpClient.HttpClient): Transport =>
  http(url, {
    timeout: requestMillis,
    retryCount: 1,
    maxResponseBodySize: maxResponseBytes,
    fetchFn: fetchWith(client)
  })
