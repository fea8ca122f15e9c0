import { Context, Effect, Layer } from "effect"
import { ApiFailure } from "../domain/ApiFailure.ts"
import { Operations } from "../operations/Operation.ts"
import { notifyHost } from "../ports/ProviderFailure.ts"
import { StatusPages } from "../ports/StatusPages.ts"
import { currentMillis } from "../runtime/currentMillis.ts"
import { PaymentEvents, type PaymentFeed } from "../runtime/PaymentEvents.ts"
import { readPayment } from "../toll/request/PaymentHeader.ts"
import { asPage, isOpenedAsPage } from "./BrowserPage.ts"
import { HandlerCall, type Respond } from "./HandlerCall.ts"
import type { Caller, IncomingRequest, PlainResponse } from "./HttpMessage.ts"
import type { HttpSettings } from "./HttpSettings.ts"
import { SignIns } from "./SignIns.ts"
import { PaidCalls } from "./PaidCalls.ts"
import type { PaidRoute } from "./PaidRoute.ts"
import { publicCall } from "./publicCall.ts"
import {
  challengeResponse,
  documentResponse,
  failureResponse,
  notFoundBelow,
  preflightResponse
} from "./Responses.ts"
import type { PricedRoutes } from "./PricedRoutes.ts"
import { challengePublisher } from "./publishChallenge.ts"
import { makeRouter, type OperationMatch, type RouteMatch } from "./Router.ts"
import { StatusCalls, type StatusRequest } from "./StatusCalls.ts"

/** A response of the till, or of one of the host's public routes. */
export type Handled = PlainResponse | Response

/** A response, available now or from an effect. */
export type Handling = PlainResponse | Effect.Effect<Handled>

/** Handles requests below the mount. Requests without payment for a fixed price need no fiber. */
export class Http extends Context.Service<
  Http,
  {
    readonly handle: (request: IncomingRequest, caller?: Caller) => Handling
    /**
     * Handles a request for a priced route, whose handler does the work. Returns the handler's own response where it is
     * not sold, and dies with the error that the handler threw. With `settlement: "before-work"` the payment has
     * settled: the caller gets `HANDLER_FAILED`, and retries free of charge.
     */
    readonly handlePriced: (call: PricedCall, caller?: Caller) => Handling
  }
>()("@till402/core/Http") {
  /** Serves the operations that `Operations` holds when it is built. */
  static readonly layer = (settings: HttpSettings, priced: PricedRoutes) =>
    Layer.effect(Http, Effect.map(make(settings, priced), Http.of))
}

/** A request for a priced route. */
export interface PricedCall {
  readonly match: OperationMatch
  readonly request: IncomingRequest
  readonly respond: Respond
}

/** A request header of one path alone. */
const ownHeaderOf = (match: RouteMatch): string | undefined =>
  match._tag === "Operation" ? match.paidRoute.operation.repeats?.header : undefined

const methodNotAllowed = (allow: string) =>
  new ApiFailure({
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    message: `Use ${allow.split(", ")[0]} on this path.`,
    allow
  })

/** The 405: as a page for a person who opens a route that takes POST. */
const wrongMethod = (
  match: RouteMatch,
  request: IncomingRequest,
  refused: PlainResponse,
  documentPath: string | undefined
): PlainResponse =>
  match._tag === "Operation" && request.method === "GET" && isOpenedAsPage(request)
    ? asPage(refused, match.paidRoute, documentPath)
    : refused

/** Handles requests for status pages by their methods. */
const statusHandler =
  ({ cors }: HttpSettings, calls: StatusCalls) =>
  (call: StatusRequest): Handling => {
    const { corsOrigin, match, request } = call
    const methods = match.action === undefined ? ["GET", "HEAD"] : ["POST"]
    const allow = [...methods, "OPTIONS"].join(", ")
    if (request.method === "OPTIONS") return preflightResponse(allow, cors, corsOrigin)
    return methods.includes(request.method)
      ? calls.handle(call)
      : failureResponse(methodNotAllowed(allow), cors, corsOrigin)
  }

/** Whether a request has a payment, or the proof of a wallet. */
const hasProof = (request: IncomingRequest): boolean =>
  readPayment(request)._tag !== "None" || request.header("sign-in-with-x") !== null

/** Releases a handler once it has been handled. */
const releasing = (handler: HandlerCall, { operation }: PaidRoute, handling: Handling): Handling =>
  Effect.isEffect(handling)
    ? Effect.tap(handling, (handled) => {
        handler.release(handled)
        return operation.input?.doubted?.(handled) ?? Effect.void
      })
    : handling

/** Publishes a 402 that goes out, where anybody reads that. */
const publisher =
  (payments: PaymentFeed, nowMillis: () => number) =>
  (match: RouteMatch, request: IncomingRequest, handling: Handling): Handling => {
    if (!payments.isObserved || match._tag !== "Operation") return handling
    const publish = challengePublisher(payments, match, request, nowMillis)
    if (publish === undefined) return handling
    if (Effect.isEffect(handling))
      return Effect.tap(handling, (handled) => Effect.sync(() => publish(handled)))
    publish(handling)
    return handling
  }

/** What is read of a request only where it is needed. */
const readersOf = ({ clientAddress, cors, onError }: HttpSettings) => ({
  originOf: (request: IncomingRequest) => (Array.isArray(cors) ? request.header("origin") : null),
  // The host's function reads a proxy's header; without a result, the adapter's address is used. If it fails, the client is
  // unknown: a call needs no address.
  addressOf: (request: IncomingRequest, caller: Caller) => (): string | undefined => {
    try {
      const given: unknown = clientAddress?.(request.toRequest())
      if (given === undefined || given === null) return caller.clientAddress
      if (typeof given === "string") return given
      if (given instanceof Promise) given.catch(() => undefined)
      throw new TypeError(`clientAddress must return text or undefined: got the type ${typeof given}`)
    } catch (error) {
      notifyHost(onError, { port: "clientAddress", operation: "clientAddress", error })
      return undefined
    }
  }
})

/** Loaded only where a till starts: `effect/http-api` takes a tenth of the time that importing core would take. */
const loadOpenApi = Effect.promise(() => import("../api/OpenApi.ts"))

const loadRouter = Effect.fnUntraced(function* (
  settings: HttpSettings,
  priced: PricedRoutes,
  nowMillis: () => number
) {
  const operations = yield* Operations
  const { openApiDocument } = yield* Effect.andThen(priced.load, loadOpenApi)
  const documented = { ...(yield* StatusPages), nowMillis }
  return makeRouter(settings, yield* operations.all, priced, openApiDocument, documented)
})

const make = Effect.fnUntraced(function* (settings: HttpSettings, priced: PricedRoutes) {
  const nowMillis = yield* currentMillis
  const router = yield* loadRouter(settings, priced, nowMillis)
  const paidCalls = yield* PaidCalls.make(settings)
  const signIns = yield* SignIns.make(settings)
  const handleStatus = statusHandler(settings, yield* StatusCalls.make(settings))
  const published = publisher(yield* PaymentEvents, nowMillis)
  const { cors, openapiPath, prefix, upstreamTimeoutMillis: timeoutMillis, wrongClock } = settings
  const documentPath = openapiPath === undefined ? undefined : `${prefix}${openapiPath}`
  const nothing = notFoundBelow(settings)
  const { addressOf, originOf } = readersOf(settings)

  const handleMatch = (
    match: Exclude<RouteMatch, { readonly _tag: "Public" | "Status" }>,
    request: IncomingRequest,
    from: { readonly caller: Caller; readonly origin: string | null; readonly handler?: HandlerCall }
  ): Handling => {
    const { caller, origin } = from
    const { method } = request
    const isGet = match._tag === "Document" || match.paidRoute.method === "GET"
    const allow = isGet ? "GET, HEAD, OPTIONS" : "POST, OPTIONS"
    if (method === "OPTIONS") return preflightResponse(allow, cors, origin, ownHeaderOf(match))
    const isHead = isGet && method === "HEAD"
    if (!isHead && method !== (isGet ? "GET" : "POST"))
      return wrongMethod(match, request, failureResponse(methodNotAllowed(allow), cors, origin), documentPath)
    if (match._tag === "Document") return documentResponse(match, cors, origin, isHead)
    const { paidRoute } = match
    const { search } = request.url
    // With a payment, or a proof of a wallet, the request may be for something that was paid before.
    if (wrongClock?.isWrong === true && (isHead || !hasProof(request))) {
      const failure = failureResponse(wrongClock.failureAt(nowMillis()), cors, origin)
      return isHead ? { ...failure, body: null } : failure
    }
    // HEAD returns the head of an unpaid GET, and never takes a payment: there is no body to pay for.
    if (isHead) return challengeResponse(paidRoute.unpaid(search), cors, origin, true)
    const header = readPayment(request)
    const clientAddress = addressOf(request, caller)
    const { freeAccess } = paidRoute.operation
    if (header._tag === "None" && isGet && isOpenedAsPage(request))
      return asPage(challengeResponse(paidRoute.unpaid(search), cors, origin), paidRoute, documentPath)
    if (header._tag === "None" && paidRoute.operation.price._tag === "Fixed")
      return freeAccess === undefined
        ? challengeResponse(paidRoute.unpaid(search), cors, origin)
        : signIns.handle({ match, freeAccess, request, corsOrigin: origin, clientAddress })
    return paidCalls.handle({
      match,
      request,
      header,
      corsOrigin: origin,
      clientAddress,
      handler: from.handler
    })
  }

  const handle = (request: IncomingRequest, caller: Caller = {}): Handling => {
    const origin = originOf(request)
    const match = router(request.url.pathname)
    if (match === undefined) return failureResponse(nothing, cors, origin)
    if (match._tag === "Public") return publicCall(settings, match.handler, request, origin)
    if (match._tag === "Status")
      return handleStatus({ match, request, corsOrigin: origin, clientAddress: addressOf(request, caller) })
    return published(match, request, handleMatch(match, request, { caller, origin }))
  }

  const handlePriced = ({ match, request, respond }: PricedCall, caller: Caller = {}): Handling => {
    const handler = new HandlerCall(
      { id: match.paidRoute.id, respond, lossyJson: match.paidRoute.operation.input?.lossyJson },
      { timeoutMillis, onError: priced.onError }
    )
    const from = { caller, origin: originOf(request), handler }
    return releasing(handler, match.paidRoute, published(match, request, handleMatch(match, request, from)))
  }

  return { handle, handlePriced }
})
