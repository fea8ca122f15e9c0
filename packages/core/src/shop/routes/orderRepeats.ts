import type { ErrorCode } from "../../domain/ApiError.ts"
import { ApiFailure } from "../../domain/ApiFailure.ts"
import type { AnyOperation } from "../../operations/Operation.ts"
import type { Charge } from "../../ports/Charges.ts"

const header = "Allow-Duplicate-Order"

const onPurpose = `To buy the same again on purpose, send this payment with the header ${header}: true.`

const atStatus = (statusUrl: string | undefined): string =>
  statusUrl === undefined ? "" : `, or sign in at ${statusUrl} with the wallet that paid`

/** The first payment settled: its response is there for it alone. */
const bought = (statusUrl: string | undefined): string =>
  `You have bought this with another payment. This one was not charged. Send the first payment again to get its response${atStatus(statusUrl)}`

/** The first payment may still settle. */
const inFlight =
  "Another payment of yours for the same request is in progress, or its outcome isn't known yet. This one was not charged. Keep the first payment, and send the same one again"

/** The client gave two payments one id, for different bodies. A retry with a slip in its body must not buy twice. */
const otherBody = (statusUrl: string | undefined): ApiFailure =>
  new ApiFailure({
    status: 409,
    code: "PAYMENT_ID_USED",
    message: `Another payment of yours has this payment-identifier, for another body. This one was not charged. If this is a retry, send the first body and payment again${atStatus(statusUrl)}. Only another order takes another id.`,
    ...(statusUrl === undefined ? {} : { details: { status: statusUrl } })
  })

const refusal = (first: Charge, statusUrl: string | undefined, isOther: boolean): ApiFailure => {
  if (isOther) return otherBody(statusUrl)
  const isPaid = first.state === "settled"
  return new ApiFailure({
    status: 409,
    code: "DUPLICATE_ORDER",
    message: `${isPaid ? bought(statusUrl) : inFlight}. ${onPurpose}`,
    ...(statusUrl === undefined ? {} : { details: { status: statusUrl } }),
    ...(isPaid ? {} : { retryAfterSeconds: 5 })
  })
}

const status = { type: "string", format: "uri", description: "The first payment's status page." }

/** The codes of the refusals, for the documents. */
const repeatCodes: ReadonlyArray<ErrorCode> = [
  {
    code: "DUPLICATE_ORDER",
    status: 409,
    meaning:
      "another payment of yours has bought this, or may have; this one isn't charged: send the first payment again",
    details: { status }
  },
  {
    code: "PAYMENT_ID_USED",
    status: 409,
    meaning:
      "another payment of yours has the same payment-identifier, for another body; this one isn't charged: send the first body and payment again, or use another id for another order",
    details: { status }
  }
]

/**
 * Refuses a payer's second payment for the same body: its client may have lost the response to the first one.
 *
 * @param withinMillis 0: never
 */
export const orderRepeats = (withinMillis: number): Pick<AnyOperation, "repeats"> =>
  withinMillis === 0
    ? {}
    : {
        repeats: {
          withinMillis,
          header,
          words: {
            notice:
              "Keep the payment that you send: if its response is lost, send the same payment again, never a new one",
            header:
              "Buys the same again on purpose. Without it, another payment of the same payer for the same body gets 409 DUPLICATE_ORDER and isn't charged."
          },
          errors: repeatCodes,
          refusal
        }
      }
