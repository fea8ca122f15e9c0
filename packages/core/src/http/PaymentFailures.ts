import { ApiFailure, nothingCharged, storeFailure } from "../domain/ApiFailure.ts"
import type {
  PaidWorkLimited,
  PaymentError,
  RequestRepeated,
  ResponseOwed
} from "../toll/request/PaymentErrors.ts"

/*
 * Responses to payments without an outcome. Most have the caller send the same payment again.
 */

const inProgress = new ApiFailure({
  status: 409,
  code: "PAYMENT_IN_PROGRESS",
  message: "A request with this payment is in progress. Send the same payment again in a moment.",
  retryAfterSeconds: 2
})

const pending = new ApiFailure({
  status: 503,
  code: "SETTLEMENT_PENDING",
  message:
    "It is not known yet whether the payment settled. Send the same payment again; do not sign a new one.",
  retryAfterSeconds: 5
})

const limited = new ApiFailure({
  status: 429,
  code: "RATE_LIMITED",
  message:
    "Too much work for this payer, address or service is unpaid or failed. Nothing was charged; send the same payment again later.",
  retryAfterSeconds: 2
})

const workLimits = {
  failures: "The work for this payment has failed too many times.",
  losses: "Too much work that this wallet paid for has failed or is in progress."
}

const workLimited = ({ by }: PaidWorkLimited): ApiFailure =>
  new ApiFailure({ status: 429, code: "RATE_LIMITED", message: workLimits[by], retryAfterSeconds: 60 })

const unverifiable = new ApiFailure({
  status: 503,
  code: "FACILITATOR_UNAVAILABLE",
  message:
    "Payments can't be verified now: the facilitator or the chain's node can't be reached. Nothing was charged; send the same payment again later.",
  retryAfterSeconds: 10
})

/** Work that was paid for may be retried a few times only, so its callers wait. Longer than upkeep takes to begin. */
const owedRetrySeconds = 20

/** Unlike a failure to open a file before settlement, this one is paid for. */
const contentUnavailable = "The file can't be opened now. It is paid for: send the same payment again."

const owed = ({ reason, receipt, untilMillis }: ResponseOwed<ApiFailure>): ApiFailure => {
  const until = new Date(untilMillis).toISOString()
  const advice =
    `Your payment has settled. Retry the same request with the same payment until ${until}: ` +
    "it is not charged again. After that the payment is refunded."
  const failure =
    reason === undefined || reason._tag === "PaymentRefused" ? undefined : failureOfPayment(reason)
  return new ApiFailure({
    status: failure?.status ?? 500,
    code: failure?.code ?? "INTERNAL_ERROR",
    message: failure === undefined ? advice : `${failure.message.replace(nothingCharged, "")} ${advice}`,
    details: { ...failure?.details, transaction: receipt.transaction, owedUntil: until },
    retryAfterSeconds: failure?.retryAfterSeconds ?? owedRetrySeconds
  })
}

/** The response to an error of the toll, or of the work. Operations have their own for a repeated request. */
export const failureOfPayment = (
  error: ApiFailure | Exclude<PaymentError<ApiFailure>, RequestRepeated>
): ApiFailure => {
  switch (error._tag) {
    case "ApiFailure":
      return error
    case "PaymentInProgress":
      return inProgress
    case "SettlementPending":
      return pending
    case "PaymentsLimited":
      return limited
    case "PaidWorkLimited":
      return workLimited(error)
    case "VerificationUnavailable":
      return unverifiable
    case "StoreUnavailable":
      return storeFailure()
    case "ContentUnavailable":
      return new ApiFailure({ ...error.error, message: contentUnavailable })
    case "ResponseOwed":
      return owed(error)
  }
}
