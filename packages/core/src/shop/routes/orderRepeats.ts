import type { ErrorCode } from "../../domain/ApiError.ts"
import { ApiFailure } from "../../domain/ApiFailure.ts"
import type { Operation } from "../../operations/Operation.ts"
import type { Repetition } from "../../toll/request/PaymentErrors.ts"

const header = "Allow-Duplicate-Order"

const onPurpose = `To buy the same again on purpose, send this payment with the header ${header}: true.`

/** What a route sells only once, and where its buyer finds it. */
interface Sale<Input> {
  readonly identityOf: (input: Input) => string
  /** The page is `undefined` if there is none. */
  readonly goodsAt: (statusUrl: string | undefined) => string
}

const orSignIn = (statusUrl: string | undefined): string =>
  statusUrl === undefined ? "" : `, or sign in at ${statusUrl} with the wallet that paid`

/** Another payment has bought the same, or the client gave both payments one id: a retry with a slip must not buy twice. */
const messageOf = (
  as: Repetition,
  statusUrl: string | undefined,
  goodsAt: Sale<never>["goodsAt"]
): string => {
  switch (as) {
    case "InFlight":
      return `Another payment of yours for the same order is in progress, or its outcome isn't known yet. This one was not charged. Keep the first payment, and send it again with its body. ${onPurpose}`
    case "Kept":
      return `You have bought this with another payment. This one was not charged. Send the first payment again, with its body, to get its response${orSignIn(statusUrl)}. ${onPurpose}`
    case "Gone":
      return `You have bought this with another payment, so you need not pay again. This one was not charged. ${goodsAt(statusUrl)} ${onPurpose}`
    case "Different":
      return `Another payment of yours has this payment-identifier, for another order. This one was not charged. If this is a retry, send the first payment again, with its body${orSignIn(statusUrl)}. Only another order takes another id.`
  }
}

const status = { type: "string", format: "uri", description: "The first payment's status page." }

/** The codes of the refusals, for the documents. */
const repeatCodes: ReadonlyArray<ErrorCode> = [
  {
    code: "DUPLICATE_ORDER",
    status: 409,
    meaning:
      "another payment of yours has bought this, or may have, in these or other words; this one isn't charged: send the first payment again, with its body, or sign in at details.status",
    details: { status }
  },
  {
    code: "PAYMENT_ID_USED",
    status: 409,
    meaning:
      "another payment of yours has the same payment-identifier, for another order; this one isn't charged: send the first payment again, with its body, or use another id",
    details: { status }
  }
]

/**
 * Refuses a payer's second payment for the same order: its client may have lost the response to the first one.
 *
 * @param withinMillis 0: never
 */
export const orderRepeats = <Input>(
  withinMillis: number,
  { goodsAt, identityOf }: Sale<Input>
): Pick<Operation<Input>, "repeats"> =>
  withinMillis === 0
    ? {}
    : {
        repeats: {
          withinMillis,
          header,
          identityOf,
          words: {
            notice:
              "Keep the payment that you send: if its response is lost, send the same payment again, never a new one",
            header:
              "Buys the same again on purpose. Without it, another payment of the same payer for the same order, in whatever words, gets 409 DUPLICATE_ORDER and isn't charged."
          },
          errors: repeatCodes,
          refusal: (as, statusUrl) =>
            new ApiFailure({
              status: 409,
              code: as === "Different" ? "PAYMENT_ID_USED" : "DUPLICATE_ORDER",
              message: messageOf(as, statusUrl, goodsAt),
              ...(statusUrl === undefined ? {} : { details: { status: statusUrl } }),
              ...(as === "InFlight" ? { retryAfterSeconds: 5 } : {})
            })
        }
      }
