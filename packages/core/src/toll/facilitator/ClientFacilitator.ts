import { Effect, Option, Schema } from "effect"
import { compiled } from "../../fast/compiled.ts"
import { callWithTimeout } from "../../fast/callWithTimeout.ts"
import type { FacilitatorMember } from "./FacilitatorMember.ts"
import {
  defaultFacilitatorTimeouts,
  type FacilitatorClient,
  facilitatorName,
  type FacilitatorTimeouts,
  type NamedFacilitatorClient
} from "./FacilitatorOptions.ts"
import type { FacilitatorRequest, Settlement, SupportedKind, Verification } from "./FacilitatorVerdicts.ts"
import { SupportedKinds } from "./SupportedKinds.ts"
import {
  SettleResponse,
  SupportedResponse,
  toKinds,
  toSettlement,
  toVerification,
  unreachableSettlement,
  VerifyResponse,
  wireRequest
} from "./Wire.ts"

const readVerify = Schema.decodeUnknownOption(compiled(VerifyResponse))
const readSettle = Schema.decodeUnknownOption(compiled(SettleResponse))
const decodeSupported = Schema.decodeUnknownEffect(SupportedResponse)

const failed = "FacilitatorFailed"
const timedOut = "FacilitatorTimedOut"
const malformed = "SchemaError"

const unreachable = (reason: string) => Effect.succeed<Verification>({ _tag: "Unreachable", reason })
const unknown = (reason: string) => Effect.succeed<Settlement>(unreachableSettlement(reason))

/** Calls a facilitator in the same process. */
export const makeClientFacilitator = (
  client: NamedFacilitatorClient,
  options: FacilitatorTimeouts
): FacilitatorMember => {
  const { settleTimeoutMillis, verifyTimeoutMillis } = { ...defaultFacilitatorTimeouts, ...options }

  const verify = (request: FacilitatorRequest) =>
    callWithTimeout({
      timeoutMillis: verifyTimeoutMillis,
      call: () => {
        const { paymentPayload, paymentRequirements } = wireRequest(request)
        return client.verify(paymentPayload, paymentRequirements)
      },
      onResponse: (body) => {
        const response = readVerify(body)
        return Option.isSome(response)
          ? Effect.succeed(toVerification(response.value))
          : unreachable(malformed)
      },
      onThrow: () => unreachable(failed),
      onTimeout: () => unreachable(timedOut)
    })

  const settle = (request: FacilitatorRequest) =>
    callWithTimeout({
      timeoutMillis: settleTimeoutMillis,
      call: () => {
        const { paymentPayload, paymentRequirements } = wireRequest(request)
        return client.settle(paymentPayload, paymentRequirements)
      },
      onResponse: (body) => {
        const response = readSettle(body)
        return Option.isSome(response)
          ? Effect.succeed(toSettlement(response.value, request))
          : unknown(malformed)
      },
      onThrow: () => unknown(failed),
      onTimeout: () => unknown(timedOut)
    })

  const name = facilitatorName(client)
  const kinds = new SupportedKinds({ name, address: undefined, fetch: listOf(client, verifyTimeoutMillis) })
  // A facilitator that can't list anything needs no request.
  if (client.getSupported === undefined) kinds.known = []
  return {
    name,
    networks: client.networks === undefined ? undefined : new Set(client.networks),
    kinds,
    verify,
    maxVerifications: 1,
    settle,
    settleTimeoutMillis
  }
}

const listOf = (client: FacilitatorClient, timeoutMillis: number) =>
  // Called as a method: the official clients keep what they need in `this`, and one of them returns no promise.
  Effect.tryPromise(async () => client.getSupported?.() ?? { kinds: [] }).pipe(
    Effect.flatMap(decodeSupported),
    Effect.map((response): ReadonlyArray<SupportedKind> => toKinds(response)),
    Effect.timeout(timeoutMillis),
    Effect.mapError(({ _tag }) => ({ reason: _tag === "UnknownError" ? failed : _tag }))
  )
