import { Duration, Effect, Schedule, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { readBodyText } from "../../runtime/BodyText.ts"
import { report } from "../../runtime/events.ts"
import { type FacilitatorOptions, defaultFacilitatorTimeouts } from "./FacilitatorOptions.ts"
import type { FacilitatorRequest, Settlement, SupportedKind, Verification } from "./FacilitatorVerdicts.ts"
import {
  SettleResponse,
  SupportedResponse,
  toKinds,
  toSettlement,
  toVerification,
  VerifyResponse,
  wireRequirements
} from "./Wire.ts"

const maxResponseBytes = 256 * 1024
const supportedLifetime = Duration.minutes(10)

/** The host's headers function failed, or the response is not JSON of an allowed length. */
class FacilitatorFault extends Schema.TaggedError<FacilitatorFault>()("FacilitatorFault", {
  cause: Schema.Defect()
}) {}

const decodeVerify = Schema.decodeUnknownEffect(VerifyResponse)
const decodeSettle = Schema.decodeUnknownEffect(SettleResponse)
const decodeSupported = Schema.decodeUnknownEffect(SupportedResponse)

const readJson = Effect.fnUntraced(
  function* (response: HttpClientResponse.HttpClientResponse) {
    const text = yield* readBodyText(response, maxResponseBytes)
    return yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: (cause) => new FacilitatorFault({ cause })
    })
  },
  Effect.catchTag("BodyTooLarge", (cause) => Effect.fail(new FacilitatorFault({ cause })))
)

/**
 * Calls a facilitator over HTTP. Retries `/verify` after a transient fault and `/settle` never, since the outcome of
 * the first attempt is unknown. Caches `/supported`, whose failure is only logged.
 */
export const makeHttpFacilitator = Effect.fnUntraced(function* (options: FacilitatorOptions) {
  const client = yield* HttpClient.HttpClient
  const base = options.url.replace(/\/+$/, "")
  const verifyTimeoutMillis = options.verifyTimeoutMillis ?? defaultFacilitatorTimeouts.verifyTimeoutMillis
  const settleTimeoutMillis = options.settleTimeoutMillis ?? defaultFacilitatorTimeouts.settleTimeoutMillis

  const headersFor = (operation: "verify" | "settle" | "supported") =>
    options.headers === undefined
      ? Effect.succeed({})
      : Effect.tryPromise({
          try: async () => options.headers!(operation),
          catch: (cause) => new FacilitatorFault({ cause })
        })

  const post = Effect.fnUntraced(function* (operation: "verify" | "settle", request: FacilitatorRequest) {
    const headers = yield* headersFor(operation)
    const response = yield* client.execute(
      HttpClientRequest.post(`${base}/${operation}`).pipe(
        HttpClientRequest.setHeaders(headers),
        HttpClientRequest.bodyJsonUnsafe({
          x402Version: request.x402Version,
          paymentPayload: request.paymentPayload,
          paymentRequirements: wireRequirements(request)
        })
      )
    )
    return yield* readJson(response)
  })

  const verify = Effect.fn("Facilitator.verify")(function* (request: FacilitatorRequest) {
    return yield* post("verify", request).pipe(
      // Some facilitators respond to an invalid payment with 4xx and the usual document.
      Effect.flatMap(decodeVerify),
      Effect.map(toVerification),
      Effect.timeout(verifyTimeoutMillis),
      Effect.retry({ times: 2, schedule: Schedule.jittered(Schedule.exponential("100 millis")) }),
      Effect.catch((error) => Effect.succeed<Verification>({ _tag: "Unreachable", reason: error._tag }))
    )
  })

  const settle = Effect.fn("Facilitator.settle")(function* (request: FacilitatorRequest) {
    return yield* post("settle", request).pipe(
      Effect.flatMap(decodeSettle),
      Effect.map((response) => toSettlement(response, request)),
      Effect.timeout(settleTimeoutMillis),
      Effect.catch((error) =>
        Effect.succeed<Settlement>({ _tag: "Unknown", reason: error._tag, transaction: undefined })
      )
    )
  })

  const fetchSupported = Effect.gen(function* () {
    const headers = yield* headersFor("supported")
    const response = yield* client.execute(
      HttpClientRequest.get(`${base}/supported`).pipe(HttpClientRequest.setHeaders(headers))
    )
    return toKinds(yield* decodeSupported(yield* readJson(response)))
  }).pipe(
    Effect.timeout(verifyTimeoutMillis),
    Effect.catch((error) =>
      Effect.as(
        report(
          "Warn",
          "facilitator_not_ready",
          "The facilitator did not list the payments that it supports",
          {
            port: "facilitator",
            error: error._tag
          }
        ),
        [] as ReadonlyArray<SupportedKind>
      )
    )
  )
  const supported = yield* Effect.cachedWithTTL(fetchSupported, supportedLifetime)

  return { verify, settle, supported, settleTimeoutMillis }
})
