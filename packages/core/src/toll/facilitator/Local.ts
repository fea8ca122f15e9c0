import { Effect, Schema } from "effect"
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

/** A facilitator in the same process: an official `x402Facilitator`, or a fake in a test. */
export const facilitatorFromClient = (
  client: FacilitatorClient,
  timeouts: { readonly verifyMillis: number; readonly settleMillis: number }
): Facilitator["Service"] => ({
  verify: Effect.fn("Facilitator.verify")(function* (request) {
    return yield* Effect.tryPromise(async () =>
      client.verify(request.paymentPayload, wireRequirements(request))
    ).pipe(
      Effect.flatMap(decodeVerify),
      Effect.map(toVerification),
      Effect.timeout(timeouts.verifyMillis),
      Effect.catch((error) => Effect.succeed<Verification>({ _tag: "Unreachable", reason: error._tag }))
    )
  }),
  settle: Effect.fn("Facilitator.settle")(function* (request) {
    return yield* Effect.tryPromise(async () =>
      client.settle(request.paymentPayload, wireRequirements(request))
    ).pipe(
      Effect.flatMap(decodeSettle),
      Effect.map(toSettlement),
      Effect.timeout(timeouts.settleMillis),
      Effect.catch((error) =>
        Effect.succeed<Settlement>({ _tag: "Unknown", reason: error._tag, transaction: undefined })
      )
    )
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
