import { Effect, Option, Schema } from "effect"
import { compiled } from "../../fast/compiled.ts"
import { callWithTimeout } from "../../fast/callWithTimeout.ts"
import {
  type FacilitatorClient,
  defaultFacilitatorTimeouts,
  type FacilitatorTimeouts
} from "./FacilitatorOptions.ts"
import type { FacilitatorRequest, Settlement, Verification } from "./FacilitatorVerdicts.ts"
import {
  SettleResponse,
  SupportedResponse,
  toKinds,
  toSettlement,
  toVerification,
  VerifyResponse,
  wireRequirements
} from "./Wire.ts"

const readVerify = Schema.decodeUnknownOption(compiled(VerifyResponse))
const readSettle = Schema.decodeUnknownOption(compiled(SettleResponse))
const decodeSupported = Schema.decodeUnknownEffect(SupportedResponse)

const failed = "FacilitatorFailed"
const timedOut = "FacilitatorTimedOut"
const malformed = "SchemaError"

const unreachable = (reason: string) => Effect.succeed<Verification>({ _tag: "Unreachable", reason })
const unknown = (reason: string) =>
  Effect.succeed<Settlement>({ _tag: "Unknown", reason, transaction: undefined })

/** Calls a facilitator in the same process. */
export const makeClientFacilitator = (client: FacilitatorClient, options: FacilitatorTimeouts) => {
  const { settleTimeoutMillis, verifyTimeoutMillis } = { ...defaultFacilitatorTimeouts, ...options }

  const verify = (request: FacilitatorRequest) =>
    callWithTimeout({
      timeoutMillis: verifyTimeoutMillis,
      call: () => client.verify(request.paymentPayload, wireRequirements(request)),
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
      call: () => client.settle(request.paymentPayload, wireRequirements(request)),
      onResponse: (body) => {
        const response = readSettle(body)
        return Option.isSome(response)
          ? Effect.succeed(toSettlement(response.value, request))
          : unknown(malformed)
      },
      onThrow: () => unknown(failed),
      onTimeout: () => unknown(timedOut)
    })

  const supported = Effect.suspend(() =>
    client.getSupported === undefined ? Effect.succeed({ kinds: [] }) : Effect.tryPromise(client.getSupported)
  ).pipe(
    Effect.flatMap(decodeSupported),
    Effect.map(toKinds),
    Effect.timeout(verifyTimeoutMillis),
    Effect.catch(() => Effect.succeed([]))
  )

  return { verify, settle, supported, settleTimeoutMillis }
}
