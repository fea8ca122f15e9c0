import { Context, Effect, Layer } from "effect"
import { ApiFailure } from "../domain/ApiFailure.ts"
import { Operations } from "../operations/Operation.ts"
import { readPayment } from "../toll/PaymentHeader.ts"
import type { Caller, IncomingRequest, PlainResponse, PublicRoute } from "./HttpMessage.ts"
import type { HttpSettings } from "./HttpSettings.ts"
import { makePaidCalls, requestFailed } from "./PaidCalls.ts"
import { challengeResponse, failureResponse, jsonResponse, notFound, preflightResponse } from "./Responses.ts"
import { makeRouter } from "./Router.ts"

/** A response of our own, or of a route that is the host's. */
export type Handled = PlainResponse | Response

/** A response, at once or by an effect. */
export type Handling = PlainResponse | Effect.Effect<Handled>

/** Handles requests below the mount. Requests without payment for a fixed price need no fiber. */
export class Http extends Context.Service<
  Http,
  { readonly handle: (request: IncomingRequest, caller?: Caller) => Handling }
>()("@till402/core/Http") {
  /** Serves the operations that `Operations` holds when it is built. */
  static readonly layer = (settings: HttpSettings) =>
    Layer.effect(
      Http,
      Effect.map(make(settings), (handle) => Http.of({ handle }))
    )
}

const methodNotAllowed = (allow: string) =>
  new ApiFailure({
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    message: `Use ${allow.split(", ")[0]} on this path.`,
    allow
  })

const make = Effect.fnUntraced(function* (settings: HttpSettings) {
  const operations = yield* Operations
  const router = makeRouter(settings, yield* operations.all)
  const paidCall = yield* makePaidCalls(settings)
  const { cors } = settings

  const publicCall = (handler: PublicRoute, request: IncomingRequest, origin: string | null) =>
    Effect.catchCause(
      Effect.promise(async (): Promise<Handled> => handler(request.toRequest())),
      (cause) => requestFailed(cause, settings, origin)
    )

  return (request: IncomingRequest, caller: Caller = {}): Handling => {
    // Read only where the response depends on it.
    const origin = Array.isArray(cors) ? request.header("origin") : null
    const match = router(request.url.pathname)
    if (match === undefined) return failureResponse(notFound, cors, origin)
    if (match._tag === "Public") return publicCall(match.handler, request, origin)
    const { method } = request
    const isGet = match._tag === "Document" || match.endpoint.method === "GET"
    const allow = isGet ? "GET, HEAD, OPTIONS" : "POST, OPTIONS"
    if (method === "OPTIONS") return preflightResponse(allow, cors, origin)
    const isHead = isGet && method === "HEAD"
    if (!isHead && method !== (isGet ? "GET" : "POST"))
      return failureResponse(methodNotAllowed(allow), cors, origin)
    if (match._tag === "Document") return jsonResponse(match.text, cors, origin, isHead)
    const { endpoint, params } = match
    const { search } = request.url
    // HEAD shows what an unpaid GET would, and never takes a payment: there is no body to pay for.
    if (isHead) return challengeResponse(endpoint.unpaid(search), cors, origin, true)
    const header = readPayment(request)
    if (header._tag === "None" && endpoint.operation.price._tag === "Fixed")
      return challengeResponse(endpoint.unpaid(search), cors, origin)
    // The host's function reads a proxy's header; without a result, the adapter's address counts.
    const clientAddress = () => settings.clientAddress?.(request.toRequest()) ?? caller.clientAddress
    return paidCall(endpoint, params, request, header, { clientAddress, origin, search })
  }
})
