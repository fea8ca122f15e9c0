import { Effect } from "effect"
import { type HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { BodyTooLarge } from "../../runtime/BodyText.ts"
import { dispatchRequest, findDispatcher, type SmallResponse } from "../../fast/dispatchRequest.ts"
import {
  type FacilitatorCall,
  FacilitatorFault,
  maxResponseBytes,
  type Reply,
  type SendCall,
  sendOver
} from "./FacilitatorTransport.ts"

/** Names no header, which may hold a secret. */
const brokenAt = ({ document, url }: FacilitatorCall, cause: unknown) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({
      request: document === undefined ? HttpClientRequest.get(url) : HttpClientRequest.post(url),
      cause
    })
  })

const textOf = (call: FacilitatorCall, { body, header }: SmallResponse): Reply["text"] => {
  switch (body._tag) {
    case "Broken":
      return Effect.fail(brokenAt(call, body.cause))
    case "TooLarge":
      return Effect.fail(new FacilitatorFault({ cause: new BodyTooLarge({ maxBytes: maxResponseBytes }) }))
    case "Text": {
      const encoding = header("content-encoding") ?? "identity"
      return encoding === "identity"
        ? Effect.succeed(body.text)
        : Effect.fail(new FacilitatorFault({ cause: new Error(`the response is encoded: ${encoding}`) }))
    }
  }
}

const namesInLowerCase = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/**
 * Calls by the dispatcher of Node's `fetch`, and over the client on other platforms. So does a facilitator that
 * redirects, or encodes a response although it was asked not to: its later calls are sent over the client.
 */
export const sendDispatched = (client: HttpClient.HttpClient): SendCall => {
  const overClient = sendOver(client)
  let needsClient = false
  return (call) =>
    Effect.suspend(() => {
      const dispatcher = needsClient ? undefined : findDispatcher()
      const url = URL.parse(call.url)
      // `fetch` refuses an address with a user.
      if (dispatcher === undefined || url === null || url.username !== "" || url.password !== "")
        return overClient(call)
      const { document, headers } = call
      const request = {
        origin: url.origin,
        path: url.pathname + url.search,
        method: document === undefined ? ("GET" as const) : ("POST" as const),
        headers: {
          accept: "application/json, */*",
          "accept-encoding": "identity",
          "user-agent": "node",
          ...(document === undefined ? {} : { "content-type": "application/json" }),
          ...namesInLowerCase(headers)
        },
        body: document === undefined ? null : JSON.stringify(document),
        maxBytes: maxResponseBytes
      }
      return Effect.callback<Reply, FacilitatorFault | HttpClientError.HttpClientError>((resume) => {
        const abort = dispatchRequest(dispatcher, request, {
          onError: (cause) => resume(Effect.fail(brokenAt(call, cause))),
          onResponse: (response) => {
            const { header, status } = response
            const isRedirect = status >= 300 && status < 400 && header("location") !== undefined
            if (isRedirect || header("content-encoding") !== undefined) needsClient = true
            resume(
              isRedirect
                ? overClient(call)
                : Effect.succeed({ status, retryAfter: header("retry-after"), text: textOf(call, response) })
            )
          }
        })
        return Effect.sync(abort)
      })
    })
}
