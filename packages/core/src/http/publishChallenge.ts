import { fromBase64, toText } from "../domain/Base64.ts"
import type { PaymentRequirements } from "../domain/PaymentRequired.ts"
import type { PaymentFeed } from "../runtime/PaymentEvents.ts"
import { readPayment } from "../toll/request/PaymentHeader.ts"
import type { IncomingRequest, PlainResponse } from "./HttpMessage.ts"
import type { OperationMatch } from "./Router.ts"

/** The price of the first offer of a 402. */
const priceOf = ({ headers }: PlainResponse): bigint | undefined => {
  const bytes = fromBase64(headers["payment-required"] ?? "")
  const text = bytes && toText(bytes)
  if (text === undefined || text === "") return undefined
  const { accepts }: { readonly accepts: ReadonlyArray<PaymentRequirements> } = JSON.parse(text)
  return accepts[0] === undefined ? undefined : BigInt(accepts[0].amount)
}

/**
 * Publishes the 402 of a request without a payment, or with a header that is none; `undefined` for other requests, whose
 * outcome the toll publishes.
 */
export const challengePublisher = (
  payments: PaymentFeed,
  { paidRoute }: OperationMatch,
  request: IncomingRequest,
  nowMillis: () => number
): ((handled: PlainResponse | Response) => void) | undefined => {
  if (request.method !== "GET" && request.method !== "POST") return undefined
  const { _tag } = readPayment(request)
  if (_tag === "Payment") return undefined
  return (handled) => {
    if (handled.status !== 402 || handled instanceof Response) return
    const about = { at: new Date(nowMillis()), operation: paidRoute.id }
    payments.publish(
      _tag === "None"
        ? { code: "payment_required", ...about, amountAtomic: priceOf(handled) }
        : { code: "payment_refused", ...about, reason: "invalid_payload" }
    )
  }
}
