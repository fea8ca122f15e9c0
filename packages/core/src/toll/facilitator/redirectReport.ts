import { Effect, Option } from "effect"
import { FetchHttpClient, type HttpClient, type HttpClientRequest } from "effect/http"
import { report } from "../../runtime/events.ts"
import { facilitatorName, type FacilitatorOptions, shownAddress } from "./FacilitatorOptions.ts"
import { repeating } from "./FacilitatorTransport.ts"

/*
 * Loaded only where a facilitator redirects.
 */

const isOpen = (address: string): boolean => URL.parse(address)?.protocol === "http:"

/**
 * Reports a redirect that loses payments on the way, since after some statuses a POST becomes a GET, or that sends them
 * unencrypted. Whether it was one.
 *
 * @param movedTo where a GET of `/supported` ended
 */
export const reportRedirect = Effect.fnUntraced(function* (
  options: FacilitatorOptions,
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  movedTo: string
) {
  const from = shownAddress(options.url)
  const to = shownAddress(movedTo).replace(/\/supported$/, "")
  const about = { port: "facilitator", facilitator: facilitatorName(options) }
  if (isOpen(movedTo) && !isOpen(options.url)) {
    yield* report(
      "Warn",
      "facilitator_not_ready",
      `The facilitator at ${from} redirects to ${to}, where payments travel unencrypted, and anybody on the way can say that they settled. Give an address that stays at https`,
      { ...about, reason: "http" }
    )
    return true
  }
  const init = Option.getOrElse(yield* Effect.serviceOption(FetchHttpClient.RequestInit), () => ({}))
  const { status } = yield* Effect.provideService(client.execute(request), FetchHttpClient.RequestInit, {
    ...init,
    redirect: "manual"
  })
  if (status < 300 || status >= 400 || repeating.has(status)) return false
  yield* report(
    "Warn",
    "facilitator_not_ready",
    `The facilitator at ${from} redirects to ${to} with HTTP status ${status}, after which a payment arrives there without its body. Give that address`,
    { ...about, reason: `http_${status}` }
  )
  return true
})
