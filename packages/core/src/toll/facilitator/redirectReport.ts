import { Effect, Option } from "effect"
import { FetchHttpClient, type HttpClient, type HttpClientRequest } from "effect/http"
import { report } from "../../runtime/events.ts"
import { facilitatorName, type FacilitatorOptions, shownAddress } from "./FacilitatorOptions.ts"
import { repeating } from "./FacilitatorTransport.ts"

/*
 * Loaded only where a facilitator redirects.
 */

/**
 * Reports a redirect that loses payments on the way: after some statuses, a POST becomes a GET. Whether it was one.
 *
 * @param movedTo where a GET of `/supported` ended
 */
export const reportRedirect = Effect.fnUntraced(function* (
  options: FacilitatorOptions,
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  movedTo: string
) {
  const init = Option.getOrElse(yield* Effect.serviceOption(FetchHttpClient.RequestInit), () => ({}))
  const { status } = yield* Effect.provideService(client.execute(request), FetchHttpClient.RequestInit, {
    ...init,
    redirect: "manual"
  })
  if (status < 300 || status >= 400 || repeating.has(status)) return false
  const to = shownAddress(movedTo).replace(/\/supported$/, "")
  yield* report(
    "Warn",
    "facilitator_not_ready",
    `The facilitator at ${shownAddress(options.url)} redirects to ${to} with HTTP status ${status}, after which a payment arrives there without its body. Give that address`,
    { port: "facilitator", reason: `http_${status}`, facilitator: facilitatorName(options) }
  )
  return true
})
