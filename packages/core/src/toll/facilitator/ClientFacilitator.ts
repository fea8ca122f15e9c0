import { Effect, Option, Schema } from "effect"
import { compiled } from "../../runtime/compiled.ts"
import { handedToFunction } from "../../runtime/span.ts"
import { tryWithTimeout } from "../../runtime/Deadline.ts"
import type { FacilitatorMember } from "./FacilitatorMember.ts"
import {
  type FacilitatorClient,
  facilitatorName,
  type FacilitatorTimeouts,
  type NamedFacilitatorClient,
  timeoutsOf
} from "./FacilitatorOptions.ts"
import type { FacilitatorRequest, Settlement, SupportedKind, Verification } from "./FacilitatorVerdicts.ts"
import { SupportedKinds } from "./SupportedKinds.ts"
import {
  reasonCode,
  SettleResponse,
  SupportedResponse,
  toKinds,
  toSettlement,
  toVerification,
  unreachableSettlement,
  VerifyResponse,
  type WireRequest,
  wireJson
} from "./Wire.ts"

const readVerify = Schema.decodeUnknownOption(compiled(VerifyResponse))
const readSettle = Schema.decodeUnknownOption(compiled(SettleResponse))
const decodeSupported = Schema.decodeUnknownEffect(SupportedResponse)

/** Why a call threw, where the error says so by a code or its tag: its message may quote a key. */
const failureOf = (thrown: unknown): string => {
  const { _tag, reason = _tag } = Object(thrown) as Readonly<Record<string, string | undefined>>
  return reasonCode(reason, failed)
}
const failed = "FacilitatorFailed"
const timedOut = "FacilitatorTimedOut"
const malformed = "SchemaError"

/** What a facilitator over HTTP would read, and the client's own to change: the till's offers are shared by all calls. */
const ownCopy = (request: FacilitatorRequest): WireRequest => JSON.parse(wireJson(request)) as WireRequest

/** Makes a call of the client, which fails with the reason why there is no response of its shape. */
const callOf =
  <A>(
    client: FacilitatorClient,
    method: "verify" | "settle",
    timeoutMillis: number,
    read: (body: unknown) => Option.Option<A>
  ) =>
  (request: FacilitatorRequest): Effect.Effect<A, string> => {
    const call = async () => {
      const { paymentPayload, paymentRequirements } = ownCopy(request)
      return client[method](paymentPayload, paymentRequirements)
    }
    return handedToFunction(
      tryWithTimeout({ timeoutMillis, call, catch: failureOf, onTimeout: () => timedOut })
    ).pipe(
      Effect.flatMap((body) =>
        Option.match(read(body), { onNone: () => Effect.fail(malformed), onSome: Effect.succeed })
      )
    )
  }

/** Calls a facilitator in the same process. */
export const makeClientFacilitator = (
  client: NamedFacilitatorClient,
  options: FacilitatorTimeouts
): FacilitatorMember => {
  const { settleTimeoutMillis, verifyTimeoutMillis } = timeoutsOf(options)

  const callVerify = callOf(client, "verify", verifyTimeoutMillis, readVerify)
  const verify = (request: FacilitatorRequest) =>
    callVerify(request).pipe(
      Effect.map(toVerification),
      Effect.catch((reason) => Effect.succeed<Verification>({ _tag: "Unreachable", reason }))
    )

  const callSettle = callOf(client, "settle", settleTimeoutMillis, readSettle)
  const settle = (request: FacilitatorRequest) =>
    callSettle(request).pipe(
      Effect.map((response) => toSettlement(response, request)),
      Effect.catch((reason) => Effect.succeed<Settlement>(unreachableSettlement(reason)))
    )

  const name = facilitatorName(client)
  const kinds = new SupportedKinds({ name, address: undefined, fetch: listOf(client, verifyTimeoutMillis) })
  return {
    name,
    networks: client.networks === undefined ? undefined : new Set(client.networks),
    kinds,
    verify,
    maxVerifications: 1,
    settle,
    settleTimeoutMillis,
    movesNoMoney: client.movesNoMoney === true
  }
}

const listOf = (client: FacilitatorClient, timeoutMillis: number) =>
  client.getSupported === undefined
    ? undefined
    : // Called as a method: the official clients keep what they need in `this`, and one of them returns no promise.
      Effect.tryPromise(async () => client.getSupported?.() ?? { kinds: [] }).pipe(
        Effect.flatMap(decodeSupported),
        Effect.map((response): ReadonlyArray<SupportedKind> => toKinds(response)),
        Effect.timeout(timeoutMillis),
        Effect.mapError(({ _tag }) => ({ reason: _tag === "UnknownError" ? failed : _tag }))
      )
