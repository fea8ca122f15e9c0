import { Effect, Option, Schema } from "effect"
import { compiled } from "../../compiled.ts"
import { askAndThen } from "../../Deadline.ts"
import type { FacilitatorClient } from "../../Options.ts"
import type { Facilitator, Settlement, Verification } from "../Facilitator.ts"
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

/** A facilitator in the same process: an official `x402Facilitator`, or a fake in a test. */
export const facilitatorFromClient = (
  client: FacilitatorClient,
  timeouts: { readonly verifyMillis: number; readonly settleMillis: number }
): Facilitator["Service"] => ({
  verify: (request) =>
    askAndThen({
      millis: timeouts.verifyMillis,
      ask: () => client.verify(request.paymentPayload, wireRequirements(request)),
      onAnswer: (answer) => {
        const response = readVerify(answer)
        return Option.isSome(response)
          ? Effect.succeed(toVerification(response.value))
          : unreachable(malformed)
      },
      onThrow: () => unreachable(failed),
      onLapse: () => unreachable(timedOut)
    }),
  settle: (request) =>
    askAndThen({
      millis: timeouts.settleMillis,
      ask: () => client.settle(request.paymentPayload, wireRequirements(request)),
      onAnswer: (answer) => {
        const response = readSettle(answer)
        return Option.isSome(response)
          ? Effect.succeed(toSettlement(response.value, request))
          : unknown(malformed)
      },
      onThrow: () => unknown(failed),
      onLapse: () => unknown(timedOut)
    }),
  supported:
    client.getSupported === undefined
      ? Effect.succeed([])
      : Effect.tryPromise(async () => client.getSupported!()).pipe(
          Effect.flatMap(decodeSupported),
          Effect.map(toKinds),
          Effect.timeout(timeouts.verifyMillis),
          Effect.catch(() => Effect.succeed([]))
        )
})
