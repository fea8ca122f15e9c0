import { HttpApiSchema } from "effect/http-api"
import { ApiError } from "../domain/ApiError.ts"
import { fromDollars } from "../domain/Money.ts"
import { PaymentRequired } from "../domain/PaymentRequired.ts"
import type { Subject } from "../ports/Charges.ts"
import type { Work } from "../toll/request/TollRequest.ts"

/*
 * Shared by the operations: the error schemas of their endpoints, and the conversion of results to responses.
 */

/** An error in the contract's shape, with this status. */
export const failure = (status: number) => ApiError.pipe(HttpApiSchema.status(status))

/** The errors that every paid operation can return. */
export const commonErrors = [
  failure(400),
  PaymentRequired.pipe(HttpApiSchema.status(402)),
  failure(409),
  failure(429),
  failure(500),
  failure(502),
  failure(503)
] as const

/** The errors of every operation with a body. */
export const bodyErrors = [...commonErrors, failure(408), failure(413), failure(415)] as const

/** Upper bound of quoted prices, for the documents. */
export const maxQuoteAtomic = fromDollars(100_000)

/** A fixed price in dollars, checked by the configuration. */
export const fixedPrice = (atomic: bigint) => ({ _tag: "Fixed" as const, atomic })

/** A JSON response. The ports' results were checked against the contract at the boundary. */
export const respond = (value: unknown): Work => respondText(JSON.stringify(value))

/** A JSON response of what a payment has bought, with headers of its own. */
export const respondWith = (
  value: unknown,
  subject: Subject,
  headers: Readonly<Record<string, string>>
): Work => {
  const { response } = respond(value)
  return { response: Object.keys(headers).length === 0 ? response : { ...response, headers }, subject }
}

/** A response whose text is JSON. */
export const respondText = (text: string): Work => ({
  response: { status: 200, contentType: "application/json", body: { _tag: "Text", text } }
})
