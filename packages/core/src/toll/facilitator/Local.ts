import { Effect, Schema } from "effect"
import { askWithin } from "../../Deadline.ts"
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

const decodeVerify = Schema.decodeUnknownEffect(VerifyResponse)
const decodeSettle = Schema.decodeUnknownEffect(SettleResponse)
const decodeSupported = Schema.decodeUnknownEffect(SupportedResponse)

const failed = (cause: unknown) => ({ _tag: "FacilitatorFailed" as const, cause })
const lapsed = () => ({ _tag: "FacilitatorTimedOut" as const })

/** A facilitator in the same process: an official `x402Facilitator`, or a fake in a test. */
export const facilitatorFromClient = (
  client: FacilitatorClient,
  timeouts: { readonly verifyMillis: number; readonly settleMillis: number }
): Facilitator["Service"] => ({
  verify: (request) =>
    askWithin({
      millis: timeouts.verifyMillis,
      ask: () => client.verify(request.paymentPayload, wireRequirements(request)),
      catch: failed,
      onLapse: lapsed
    }).pipe(
      Effect.flatMap(decodeVerify),
      Effect.map(toVerification),
      Effect.catch(({ _tag }) => Effect.succeed<Verification>({ _tag: "Unreachable", reason: _tag }))
    ),
  settle: (request) =>
    askWithin({
      millis: timeouts.settleMillis,
      ask: () => client.settle(request.paymentPayload, wireRequirements(request)),
      catch: failed,
      onLapse: lapsed
    }).pipe(
      Effect.flatMap(decodeSettle),
      Effect.map((response) => toSettlement(response, request)),
      Effect.catch(({ _tag }) =>
        Effect.succeed<Settlement>({ _tag: "Unknown", reason: _tag, transaction: undefined })
      )
    ),
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
