import { Duration, Effect, Schedule, Schema, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import type { FacilitatorOptions } from "../../Options.ts"
import type {
  Facilitator,
  FacilitatorRequest,
  Settlement,
  SupportedKind,
  Verification
} from "../Facilitator.ts"
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

/** The host's headers could not be had, or the answer is no document. */
class FacilitatorFault extends Schema.TaggedError<FacilitatorFault>()("FacilitatorFault", {
  cause: Schema.Defect()
}) {}

/**
 * A facilitator over HTTP. `/verify` is asked again after a passing fault; `/settle` never is: what
 * became of the first time is unknown. `/supported` is cached and never fatal.
 */
export const facilitatorFromUrl = Effect.fnUntraced(function* (options: FacilitatorOptions) {
  const client = yield* HttpClient.HttpClient
  const base = options.url.replace(/\/+$/, "")

  const headersFor = (operation: "verify" | "settle" | "supported") =>
    options.headers === undefined
      ? Effect.succeed({})
      : Effect.tryPromise({
          try: async () => options.headers!(operation),
          catch: (cause) => new FacilitatorFault({ cause })
        })

  /** Reads while counting and stops at the bound: a hostile answer could be endless. */
  const readBounded = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
    const decoder = new TextDecoder()
    let bytes = 0
    let text = ""
    yield* Stream.runForEach(response.stream, (chunk) => {
      bytes += chunk.byteLength
      if (bytes > maxResponseBytes)
        return Effect.fail(new FacilitatorFault({ cause: "the answer is too long" }))
      text += decoder.decode(chunk, { stream: true })
      return Effect.void
    })
    return yield* Effect.try({
      try: (): unknown => JSON.parse(text + decoder.decode()),
      catch: (cause) => new FacilitatorFault({ cause })
    })
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
    return { status: response.status, document: yield* readBounded(response) }
  })

  const decodeVerify = Schema.decodeUnknownEffect(VerifyResponse)
  const decodeSettle = Schema.decodeUnknownEffect(SettleResponse)
  const decodeSupported = Schema.decodeUnknownEffect(SupportedResponse)

  const verify = Effect.fn("Facilitator.verify")(function* (request: FacilitatorRequest) {
    return yield* post("verify", request).pipe(
      // A facilitator may answer an invalid payment with 4xx and the usual document.
      Effect.flatMap(({ document }) => decodeVerify(document)),
      Effect.map(toVerification),
      Effect.timeout(options.verifyTimeoutMillis ?? 5_000),
      Effect.retry({ times: 2, schedule: Schedule.jittered(Schedule.exponential("100 millis")) }),
      Effect.catch((error) => Effect.succeed<Verification>({ _tag: "Unreachable", reason: error._tag }))
    )
  })

  const settle = Effect.fn("Facilitator.settle")(function* (request: FacilitatorRequest) {
    return yield* post("settle", request).pipe(
      Effect.flatMap(({ document }) => decodeSettle(document)),
      Effect.map((response) => toSettlement(response, request)),
      Effect.timeout(options.settleTimeoutMillis ?? 30_000),
      Effect.catch((error) =>
        Effect.succeed<Settlement>({ _tag: "Unknown", reason: error._tag, transaction: undefined })
      )
    )
  })

  const askSupported = Effect.gen(function* () {
    const headers = yield* headersFor("supported")
    const response = yield* client.execute(
      HttpClientRequest.get(`${base}/supported`).pipe(HttpClientRequest.setHeaders(headers))
    )
    return toKinds(yield* decodeSupported(yield* readBounded(response)))
  }).pipe(
    Effect.timeout(options.verifyTimeoutMillis ?? 5_000),
    Effect.catch((error) =>
      Effect.as(
        Effect.logWarning("The facilitator did not say what it supports", error._tag),
        [] as ReadonlyArray<SupportedKind>
      )
    )
  )
  const supported = yield* Effect.cachedWithTTL(askSupported, supportedLifetime)

  const service: Facilitator["Service"] = { verify, settle, supported }
  return service
})
