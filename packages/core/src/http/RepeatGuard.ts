import { type ApiFailure, validationFailure } from "../domain/ApiFailure.ts"
import type { AnyOperation } from "../operations/Operation.ts"
import type { StatusPages } from "../ports/StatusPages.ts"
import type { RequestRepeated } from "../toll/request/PaymentErrors.ts"
import { isPaymentId, type Payment, paymentIdentifier } from "../toll/request/PaymentHeader.ts"
import type { TollRequest } from "../toll/request/TollRequest.ts"
import type { IncomingRequest } from "./HttpMessage.ts"

/*
 * What a request says about payments that repeat another one, and what its caller reads of them. The toll finds them:
 * `toll/perform/RepeatedPayments.ts`.
 */

type Guarded = Pick<AnyOperation, "repeats">

/** Whether the request is guarded against a repetition, of what, and whether its caller intends one. */
export const repeatsOf = (
  { repeats }: Guarded,
  input: unknown,
  request: Pick<IncomingRequest, "header">
): TollRequest<ApiFailure>["repeats"] =>
  repeats && {
    withinMillis: repeats.withinMillis,
    isIntended: request.header(repeats.header.toLowerCase())?.trim().toLowerCase() === "true",
    identity: repeats.identityOf(input)
  }

/** The fault in the id that a client gave its payment, where it counts. */
export const faultOfName = ({ repeats }: Guarded, { paymentId }: Payment): ApiFailure | undefined =>
  repeats === undefined || paymentId === undefined || isPaymentId(paymentId) ? undefined : misnamed

const misnamed = validationFailure([
  {
    path: `${paymentIdentifier}.info.id`,
    message: "must have 16 to 128 characters of letters, digits, _ and -"
  }
])

/** What the caller of a payment reads that repeats another one. */
export const failureOfRepetition = (
  { repeats }: Guarded,
  { as, first: { subject } }: RequestRepeated,
  pages: Pick<StatusPages["Service"], "urlOf">
): ApiFailure => {
  if (repeats === undefined) throw new Error("a request that may be repeated was refused as a repetition")
  return repeats.refusal(as, subject && pages.urlOf(subject))
}
