import { Cause, Clock, Effect, Metric, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { anyStatus } from "../../runtime/anyStatus.ts"
import { readClock } from "../../runtime/ClockReading.ts"
import { exitWithin } from "../../runtime/Deadline.ts"
import { networkFault } from "../../runtime/networkFault.ts"
import type { FacilitatorMember } from "./FacilitatorMember.ts"
import { facilitatorName, type FacilitatorOptions, shownAddress, timeoutsOf } from "./FacilitatorOptions.ts"
import { FacilitatorFault, FacilitatorTransport, type Reply, type SendCall } from "./FacilitatorTransport.ts"
import type { FacilitatorRequest, SupportedKind, Verification } from "./FacilitatorVerdicts.ts"
import { ListingReports } from "./ListingReports.ts"
import { pollStatus } from "./PaymentStatus.ts"
import { type SupportedFault, SupportedKinds } from "./SupportedKinds.ts"
import {
  SettleResponse,
  SupportedResponse,
  toKinds,
  toSettlement,
  toVerification,
  unreachableSettlement,
  VerifyResponse,
  wireJson
} from "./Wire.ts"
import { compiled } from "../../runtime/compiled.ts"
import { durations, toOneMinute } from "../../runtime/durations.ts"

const timed = durations(
  Metric.histogram("till402_facilitator_operation_duration_seconds", {
    description: "Seconds that a facilitator took, by its verdict",
    boundaries: toOneMinute
  })
)

/** A response with an error status, and without the document that was expected. */
class FacilitatorStatus extends Schema.TaggedError<FacilitatorStatus>()("FacilitatorStatus", {
  status: Schema.Finite,
  retryAfterMillis: Schema.UndefinedOr(Schema.Finite)
}) {}

type Operation = "verify" | "settle" | "supported"

const readJson = ({ text }: Reply) =>
  Effect.flatMap(text, (json) =>
    Effect.try({
      try: (): unknown => JSON.parse(json),
      catch: (cause) => new FacilitatorFault({ cause })
    })
  )

const retryAfterMillisOf = ({ retryAfter }: Reply): number | undefined =>
  retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined

/** Decodes a response. Some facilitators send the usual document with a 4xx or 5xx: the document counts. */
const readAs = <A>(schema: Schema.Decoder<A>) => {
  const decode = Schema.decodeUnknownEffect(compiled(schema))
  return (response: Reply) => {
    const decoded = Effect.flatMap(readJson(response), (document) => decode(document))
    const { status } = response
    return Effect.mapError(decoded, (error) =>
      status < 400 ? error : new FacilitatorStatus({ status, retryAfterMillis: retryAfterMillisOf(response) })
    )
  }
}

const readVerify = readAs(VerifyResponse)
const readSettle = readAs(SettleResponse)
const readSupported = readAs(SupportedResponse)

/** The host's function that makes headers threw, or made one of a variable that isn't set. */
class HeadersFailed extends Error {}

type Headers = Readonly<Record<string, string>>

const isUnsetKey = (name: string, value: string): boolean =>
  /auth|key|token|secret/i.test(name) && /^(?:[\w-]+ )?(?:undefined|null)$/.test(value)

/** Leaves out what has no value. */
const complete = (headers: Headers): Headers => {
  const set = Object.entries(headers).filter(([, value]) => (value ?? undefined) !== undefined)
  if (set.some((header) => isUnsetKey(...header))) throw new Error("a key is not set")
  return Object.fromEntries(set)
}

const faultOf = ({ cause }: FacilitatorFault): string | undefined => {
  if (cause instanceof HeadersFailed) return "headers_failed"
  return cause instanceof SyntaxError ? "no_json" : undefined
}

/** Why there was no usable response: `http_401`, `ENOTFOUND facilitator.example`, `no_json`, or the name of an error. */
const reasonOf = (error: { readonly _tag: string } | FacilitatorStatus): string => {
  if (error instanceof FacilitatorStatus) return `http_${error.status}`
  return (error instanceof FacilitatorFault ? faultOf(error) : undefined) ?? networkFault(error) ?? error._tag
}

const within =
  (timeoutMillis: number) =>
  <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E | Cause.TimeoutError> =>
    Effect.flatten(exitWithin({ timeoutMillis, onTimeout: () => new Cause.TimeoutError() }, call))

/** Requests to a facilitator, with the host's headers. */
const requestsTo = (options: FacilitatorOptions, transport: SendCall) => {
  const base = options.url.replace(/\/+$/, "")
  const listings = new ListingReports(facilitatorName(options))

  const headersFor = (operation: Operation) =>
    options.headers === undefined
      ? Effect.succeed({})
      : Effect.tryPromise({
          try: async () => complete((await options.headers!(operation)) ?? {}),
          catch: (cause) =>
            new FacilitatorFault({ cause: new HeadersFailed("facilitator.headers failed", { cause }) })
        })

  const post = (operation: "verify" | "settle", request: FacilitatorRequest) =>
    Effect.flatMap(headersFor(operation), (headers) =>
      transport({
        url: `${base}/${operation}`,
        headers,
        json: wireJson(request)
      })
    ).pipe(
      Effect.tap(({ extensionResponses }) =>
        extensionResponses === undefined
          ? Effect.void
          : listings.note(request.resource.url, extensionResponses)
      )
    )

  const get = (path: string, operation: Operation) =>
    Effect.flatMap(headersFor(operation), (headers) =>
      transport({ url: `${base}${path}`, headers, json: undefined })
    )

  /** The same request as `/supported`, and not from a cache. */
  const uncached = Effect.map(headersFor("supported"), (headers) =>
    HttpClientRequest.get(`${base}/supported`).pipe(
      HttpClientRequest.setHeaders({ ...headers, "cache-control": "no-cache" })
    )
  )

  return { get, post, uncached }
}

/** Calls a facilitator over HTTP. Never repeats `/settle`: the outcome of the first call is unknown. */
export const makeHttpFacilitator = Effect.fnUntraced(function* (
  options: FacilitatorOptions
): Effect.fn.Return<FacilitatorMember, never, HttpClient.HttpClient> {
  const client = anyStatus(yield* HttpClient.HttpClient)
  const { get, post, uncached } = requestsTo(options, (yield* FacilitatorTransport)(client))
  const { settleTimeoutMillis, verifyTimeoutMillis } = timeoutsOf(options)
  const facilitator = facilitatorName(options)
  /** The step's span names the facilitator: a request is nearly all of the step, and needs no span of its own. */
  const named =
    (operation: Operation) =>
    <A extends { readonly _tag: string }, E, R>(request: Effect.Effect<A, E, R>) =>
      Effect.andThen(
        Effect.annotateCurrentSpan("facilitator", facilitator),
        timed(request, ({ _tag: tag }) => ({ facilitator, operation, outcome: tag.toLowerCase() }))
      )

  const verify = (request: FacilitatorRequest) =>
    Effect.flatMap(post("verify", request), readVerify).pipe(
      within(verifyTimeoutMillis),
      Effect.map(toVerification),
      Effect.catch((error) => Effect.succeed<Verification>({ _tag: "Unreachable", reason: reasonOf(error) })),
      named("verify")
    )

  const settle = Effect.fnUntraced(function* (request: FacilitatorRequest) {
    const endMillis = (yield* Clock.currentTimeMillis) + settleTimeoutMillis
    const response = yield* Effect.flatMap(post("settle", request), readSettle).pipe(
      within(settleTimeoutMillis),
      Effect.result
    )
    if (response._tag === "Failure") return unreachableSettlement(reasonOf(response.failure))
    const settlement = toSettlement(response.success, request)
    return yield* pollStatus({ settlement, response: response.success, request, endMillis }, (paymentId) =>
      Effect.flatMap(get(`/status/${paymentId}`, "settle"), readJson)
    )
  }, named("settle"))

  let isReported = false
  const noteRedirect = Effect.fnUntraced(
    function* (movedTo: string) {
      const { reportRedirect } = yield* Effect.promise(() => import("./redirectReport.ts"))
      isReported = yield* reportRedirect(options, client, yield* uncached, movedTo)
    },
    (noted) => Effect.ignore(noted)
  )
  const fetchSupported = get("/supported", "supported").pipe(
    Effect.tap(({ movedTo }) => (movedTo === undefined || isReported ? Effect.void : noteRedirect(movedTo))),
    Effect.flatMap(readSupported),
    Effect.map((response): ReadonlyArray<SupportedKind> => toKinds(response)),
    within(verifyTimeoutMillis),
    Effect.mapError((error): SupportedFault => ({
      reason: reasonOf(error),
      ...(error instanceof FacilitatorStatus ? { retryAfterMillis: error.retryAfterMillis } : {})
    }))
  )

  const name = facilitatorName(options)
  const address = shownAddress(options.url)
  return {
    name,
    address,
    networks: options.networks === undefined ? undefined : new Set(options.networks),
    kinds: new SupportedKinds({ name, address, fetch: fetchSupported }),
    verify,
    maxVerifications: 3,
    settle,
    settleTimeoutMillis,
    clock: Effect.flatMap(uncached, (request) => readClock(client, request)).pipe(
      // The host's headers may take for ever.
      within(verifyTimeoutMillis),
      Effect.orElseSucceed(() => undefined)
    )
  }
})
