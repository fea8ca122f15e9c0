import type { ErrorCode } from "../domain/ApiError.ts"
import type { AnyOperation } from "../operations/Operation.ts"
import type { Json } from "./JsonSchemas.ts"

/*
 * The error responses of operations, for the OpenAPI document: what each status means, its codes, what they have in
 * `details`, and what may be sent again with the same payment.
 */

const text = { type: "string" }
const time = { type: "string", format: "date-time" }

const issues = {
  type: "array",
  description: "Every fault of the request.",
  items: {
    type: "object",
    properties: {
      path: { type: "string", description: "Dotted path, such as shippingAddress.country." },
      message: { type: "string", description: "What would be valid." }
    },
    required: ["path", "message"]
  }
}

/** The codes that every operation has. */
const commonCodes: ReadonlyArray<ErrorCode> = [
  {
    code: "VALIDATION_ERROR",
    status: 400,
    meaning: "the input is invalid; details.issues lists every fault",
    details: { issues }
  },
  {
    code: "PAYMENT_IN_PROGRESS",
    status: 409,
    meaning: "a request with the same payment is in progress: send it again after Retry-After"
  },
  {
    code: "RATE_LIMITED",
    status: 429,
    meaning: "too many requests, or too many unsettled payments"
  },
  {
    code: "INTERNAL_ERROR",
    status: 500,
    meaning: "a defect of the service, which details.id names in its log",
    details: { id: { ...text, description: "Names the defect in the service's log." } }
  },
  { code: "FACILITATOR_UNAVAILABLE", status: 503, meaning: "the payment can't be verified now" },
  {
    code: "SETTLEMENT_PENDING",
    status: 503,
    meaning: "it isn't known yet whether the payment settled: send the same payment again, never a new one"
  },
  { code: "STORAGE_UNAVAILABLE", status: 503, meaning: "the service can't reach its storage" },
  {
    code: "CLOCK_WRONG",
    status: 503,
    meaning: "the service's clock is wrong",
    details: {
      serverTime: { ...time, description: "The service's clock." },
      actualTime: { ...time, description: "The time of the chain." }
    }
  }
]

/** The codes that every operation with a body has. */
const bodyCodes: ReadonlyArray<ErrorCode> = [
  { code: "MALFORMED_JSON", status: 400, meaning: "the body isn't JSON in UTF-8" },
  { code: "BODY_TOO_SLOW", status: 408, meaning: "the body didn't arrive within 15 seconds" },
  { code: "BODY_TOO_LARGE", status: 413, meaning: "the body is larger than 64 KiB" },
  { code: "UNSUPPORTED_MEDIA_TYPE", status: 415, meaning: "the body is compressed, or its type isn't JSON" }
]

/** What `details` has besides, where the payment had settled before the work failed. */
const owed = {
  owedUntil: {
    ...time,
    description:
      "Present if the payment has settled: until then the same payment gets the response, and after it a refund."
  },
  transaction: { type: "string", description: "The payment's transfer. Present with owedUntil." }
}

/** The statuses that the work itself may have. */
const isOfWork = (status: number): boolean => [403, 404, 422, 500, 502, 503].includes(status)

/** What each status means for any operation. */
const meanings: Readonly<Record<string, string>> = {
  "200":
    "The call was paid, and this is its response. The same payment with the same request gets it again, free of charge.",
  "400": "The request is not valid, or can't be served as it is.",
  "402":
    "How to pay for this call. If a payment was sent, error says why it was refused; it bought nothing: sign a new one for an entry of accepts.",
  "403": "The request is not allowed.",
  "404": "There is nothing that matches the request.",
  "408": "The request took too long.",
  "409": "Another request or payment conflicts with this one.",
  "413": "The request is too large.",
  "415": "The request's body isn't plain JSON.",
  "416": "The range can't be served.",
  "422": "The request can't be served without a change.",
  "429": "Too much at once.",
  "500": "A defect of the service.",
  "502": "An upstream responded with an error.",
  "503": "The service, or an upstream, can't serve the request now."
}

const nothingCharged = "Nothing is charged."
const sendAgain = "Send the same payment again after Retry-After; never sign a new one."

/** How an operation is paid, as far as its errors depend on it. */
export interface Charging {
  /** Its payment settles before its work. */
  readonly settlesFirst: boolean
  /** Its price doesn't depend on the request. */
  readonly isFixed: boolean
}

export const chargingOf = ({ price, settlement }: AnyOperation): Charging => ({
  settlesFirst: settlement?.beforeWork === true,
  isFixed: price._tag === "Fixed"
})

const sameAgain =
  "send the same payment again for the response until details.owedUntil; after that it is refunded."

/** What was charged, and what to do with the same payment. */
const advice = (status: number, { isFixed, settlesFirst }: Charging): string => {
  if (status === 500)
    return "The payment may have settled. Send the same payment again; never sign a new one."
  if (status === 503 || (status === 429 && settlesFirst)) return sendAgain
  if (status === 429) return `${nothingCharged} ${sendAgain}`
  if (status === 408) return `${nothingCharged} Send the request again.`
  if (status === 409) return "This request by itself isn't charged."
  if (status === 416)
    return "Nothing more is charged: send the same payment without Range, or with another one."
  if (isOfWork(status))
    return settlesFirst
      ? `The payment settles before the work: ${sameAgain}`
      : `${nothingCharged} The same payment may be sent again until it expires.`
  const corrected = isFixed
    ? `${nothingCharged} A corrected request may be sent with the same payment.`
    : `${nothingCharged} Send a corrected request without payment to learn its price.`
  return settlesFirst && status === 400
    ? `${corrected} If details has owedUntil, the payment has settled: ${sameAgain}`
    : corrected
}

/** Every code of an operation's errors. */
export const codesOf = ({ documents, endpoint, repeats }: AnyOperation): ReadonlyArray<ErrorCode> => [
  ...commonCodes,
  ...(endpoint.method === "GET" ? [] : bodyCodes),
  ...(documents.errors ?? []),
  ...(repeats?.errors ?? [])
]

/** The words of one response. */
export const descriptionOf = (
  status: number,
  codes: ReadonlyArray<ErrorCode>,
  charging: Charging
): string | undefined => {
  const meaning = meanings[status]
  if (meaning === undefined || status === 200 || status === 402) return meaning
  const listed = codes.map(({ code, meaning: words }) => `\n- \`${code}\`: ${words}.`)
  return `${meaning} ${advice(status, charging)}${listed.length === 0 ? "" : `\n${listed.join("")}`}`
}

/** The headers of a response besides those of the operation. */
export const headersOf = (status: number): Readonly<Record<string, string>> => {
  if (status === 402)
    return {
      "PAYMENT-REQUIRED": "The same offers for version 2 of x402: base64 of JSON, a PaymentRequired.",
      "PAYMENT-RESPONSE": "Of a refused payment: base64 of JSON with its reason.",
      "X-PAYMENT-RESPONSE": "The same for a payment of version 1."
    }
  if (status === 416) return { "Content-Range": "The file's size." }
  return [408, 409, 429, 500, 503].includes(status) ? { "Retry-After": "Seconds to wait." } : {}
}

/** The schema of an error with its codes, and what they have in `details`. */
export const errorSchema = (
  schema: unknown,
  codes: ReadonlyArray<ErrorCode>,
  { settlesFirst }: Charging
): unknown => {
  const [first] = codes
  if (first === undefined) return schema
  const details: Json = Object.assign(
    {},
    ...codes.map(({ details: facts }) => facts ?? {}),
    settlesFirst && (first.status === 400 || isOfWork(first.status)) ? owed : {}
  )
  return {
    allOf: [
      schema,
      {
        type: "object",
        properties: {
          code: { type: "string", enum: codes.map(({ code }) => code) },
          ...(Object.keys(details).length === 0 ? {} : { details: { type: "object", properties: details } })
        }
      }
    ]
  }
}
