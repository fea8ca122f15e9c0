import { Cause, Effect, Option } from "effect"
import { ApiFailure, nothingCharged, storeFailure } from "../ApiFailure.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { Ending } from "./Steps.ts"
import type { Outcome, PaymentRefused } from "./TollRequest.ts"

/*
 * What a caller is told whose payment has neither bought something nor come to nothing.
 */

export const inProgress = new ApiFailure({
  status: 409,
  code: "PAYMENT_IN_PROGRESS",
  message: "A request with this payment is being answered. Send the same payment again in a moment.",
  retryAfterSeconds: 2
})

export const pending = new ApiFailure({
  status: 503,
  code: "SETTLEMENT_PENDING",
  message:
    "Whether the payment was settled is not known yet. Send the same payment again; do not sign a new one.",
  retryAfterSeconds: 5
})

export const limited = new ApiFailure({
  status: 429,
  code: "RATE_LIMITED",
  message:
    "Too many payments of this payer, or of this service, are unsettled. Nothing was charged; send the same payment again in a moment.",
  retryAfterSeconds: 2
})

export const tooOften = new ApiFailure({
  status: 429,
  code: "RATE_LIMITED",
  message: "The work of this payment has failed too often.",
  retryAfterSeconds: 60
})

export const unverifiable = new ApiFailure({
  status: 503,
  code: "FACILITATOR_UNAVAILABLE",
  message: "Payments can't be verified now. Nothing was charged; send the same payment again later.",
  retryAfterSeconds: 10
})

/** How a call ends whose payment settled before its work failed: the error, and that the response is owed. */
export const owed = function* (
  cause: Cause.Cause<ApiFailure | PaymentRefused>,
  { receipt, untilMillis }: Extract<Ending, { _tag: "Owed" }>
): Effect.fn.Return<never, ApiFailure> {
  const error = Cause.hasDies(cause) ? Option.none() : Cause.findErrorOption(cause)
  const until = new Date(untilMillis).toISOString()
  const advice =
    `Your payment has settled. Retry the same request with the same payment until ${until}: ` +
    "it is not charged again. After that the payment is refunded."
  if (Option.isNone(error)) yield* Effect.logError("Work that was paid for failed by a defect", cause)
  const failure = Option.isSome(error) && error.value._tag === "ApiFailure" ? error.value : undefined
  return yield* new ApiFailure({
    status: failure?.status ?? 500,
    code: failure?.code ?? "INTERNAL_ERROR",
    message: failure === undefined ? advice : `${failure.message.replace(nothingCharged, "")} ${advice}`,
    details: { ...failure?.details, transaction: receipt.transaction, owedUntil: until },
    ...(failure?.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: failure.retryAfterSeconds })
  })
}

/** How a call ends that was cut short by a failure: a refusal is an outcome, a store that fails is a 503. */
export const failed = function* (
  cause: Cause.Cause<ApiFailure | PaymentRefused | StoreError>
): Effect.fn.Return<Outcome, ApiFailure> {
  const error = Cause.findErrorOption(cause)
  if (Cause.hasDies(cause) || Option.isNone(error))
    return yield* Effect.failCause(cause as Cause.Cause<never>)
  switch (error.value._tag) {
    case "ApiFailure":
      return yield* error.value
    case "PaymentRefused":
      return { _tag: "Refused", refusal: error.value.refusal }
    case "StoreError":
      yield* Effect.logError("The store failed", error.value.operation, error.value.cause)
      return yield* storeFailure(error.value)
  }
}
