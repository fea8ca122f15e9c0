import type { ErrorCode } from "../../domain/ApiError.ts"
import { ApiFailure, nothingCharged, rateLimited, validationFailure } from "../../domain/ApiFailure.ts"
import { additionalFields } from "./AdditionalField.ts"
import type {
  AddressNotServed,
  PortName,
  ProductNotFound,
  ProductUnavailable,
  TrackRefusal,
  UpstreamError
} from "./PortErrors.ts"
import type { TooManyLookups } from "./TrackLookups.ts"

/*
 * The error responses of the shop's routes: status, code and text of each.
 */

/** How codes and messages name a port. */
const ports: Record<PortName, { readonly code: string; readonly noun: string }> = {
  marketplace: { code: "MARKETPLACE", noun: "marketplace" },
  assistant: { code: "ASSISTANT", noun: "assistant" },
  fulfilment: { code: "FULFILMENT", noun: "fulfilment provider" },
  tracking: { code: "TRACKING_PROVIDER", noun: "tracking provider" },
  vault: { code: "VAULT", noun: "vault" },
  mail: { code: "MAIL", noun: "mail service" }
}

/** The codes of `upstreamFailure`, for the documents. */
export const upstreamCodes = (port: PortName): ReadonlyArray<ErrorCode> => {
  const { code, noun } = ports[port]
  return [
    { code: `${code}_ERROR`, status: 502, meaning: `the ${noun} responded with an error` },
    { code: `${code}_UNAVAILABLE`, status: 503, meaning: `the ${noun} is not available now` }
  ]
}

/** 502 for an upstream that failed, 503 for one that is unavailable. Neither charges the caller. */
export const upstreamFailure = (error: UpstreamError): ApiFailure => {
  const { code, noun } = ports[error.port]
  return error._tag === "UpstreamFailed"
    ? new ApiFailure({
        status: 502,
        code: `${code}_ERROR`,
        message: `The ${noun} responded with an error.${nothingCharged}`
      })
    : new ApiFailure({
        status: 503,
        code: `${code}_UNAVAILABLE`,
        message: `The ${noun} is not available now.${nothingCharged} Retry later.`,
        retryAfterSeconds: error.retryAfterSeconds ?? 30
      })
}

/** 404: no vault item has this slug. */
export const itemNotFound = new ApiFailure({
  status: 404,
  code: "ITEM_NOT_FOUND",
  message: "No vault item has this slug. Find one with GET /x402/vault/search."
})

/** 404: no purchase has this id. `statusUrl`: its status page, if there are any. */
export const purchaseNotFound = (statusUrl: string | undefined): ApiFailure =>
  new ApiFailure({
    status: 404,
    code: "PURCHASE_NOT_FOUND",
    message: `No purchase has this id, or it isn't paid yet.${nothingCharged} Use the purchaseId of the response or mail of the purchase.${statusUrl === undefined ? "" : ` The wallet that paid sees its state by signing in at ${statusUrl}.`}`
  })

/** 403: the download token belongs to another purchase, or has ended. `statusUrl`: the purchase's page, if it has one. */
export const downloadForbidden = (statusUrl: string | undefined): ApiFailure =>
  new ApiFailure({
    status: 403,
    code: "DOWNLOAD_FORBIDDEN",
    message: `The downloadToken doesn't belong to this purchase, or a newer one has replaced it.${nothingCharged} ${statusUrl === undefined ? "Use the newest one." : `Use the newest one, or get a new one: sign in at ${statusUrl} with the wallet that paid, and POST to ${statusUrl}/token.`}`
  })

/** 403: the download token's key is retired. */
export const downloadTokenRetired = new ApiFailure({
  status: 403,
  code: "DOWNLOAD_FORBIDDEN",
  message: `This downloadToken is no longer valid.${nothingCharged} Download with a sign-in of the wallet that paid for the purchase (sign-in-with-x), without a payment.`
})

/** 403: the purchase is older than the host lets it be downloaded. */
export const downloadExpired = new ApiFailure({
  status: 403,
  code: "DOWNLOAD_EXPIRED",
  message: `The time in which this purchase can be downloaded is over.${nothingCharged}`
})

/** 403: the purchase has been downloaded as often as the host allows. */
export const downloadsUsedUp = new ApiFailure({
  status: 403,
  code: "DOWNLOADS_USED_UP",
  message: `This purchase has been downloaded as often as it may be.${nothingCharged}`
})

/** 429: a purchase has had its new download tokens of a day. */
export const tokensLimited = (retryAfterSeconds: number): ApiFailure =>
  rateLimited(
    retryAfterSeconds,
    "A purchase gets three new download tokens in 24 hours. The last one is still valid."
  )

const quoteFailures = {
  ProductNotFound: { status: 400, code: "PRODUCT_NOT_FOUND" },
  ProductUnavailable: { status: 400, code: "PRODUCT_UNAVAILABLE" },
  AddressNotServed: { status: 400, code: "ADDRESS_NOT_SERVED" }
}

/** 400: why a product can't be quoted. */
export const quoteFailure = (error: ProductNotFound | ProductUnavailable | AddressNotServed): ApiFailure => {
  const { _tag: tag, message } = error
  const reason = tag === "ProductUnavailable" ? error.reason : undefined
  return new ApiFailure({
    ...quoteFailures[tag],
    message,
    ...(reason === undefined ? {} : { details: { reason } })
  })
}

/** The codes of `quoteFailure`, for the documents. */
export const quoteCodes: ReadonlyArray<ErrorCode> = [
  { ...quoteFailures.ProductNotFound, meaning: "no such product" },
  {
    ...quoteFailures.ProductUnavailable,
    meaning: "the product can't be bought now",
    details: { reason: { type: "string", description: "A word such as out_of_stock." } }
  },
  { ...quoteFailures.AddressNotServed, meaning: "the product isn't delivered to this address" }
]

/** An amount that a host counts in US dollars, rounded up to an atomic unit. */
const atomicOfUsd = (usd: number): bigint => BigInt(Math.ceil(usd * 1_000_000))

/** 429: the number was looked up too often with other data. */
export const tooManyLookups = ({ retryAfterSeconds }: TooManyLookups): ApiFailure =>
  rateLimited(
    retryAfterSeconds,
    `This number was looked up too often with data that no carrier knows it by.${nothingCharged} Retry later.`
  )

/** The codes of `trackingFailure`, for the documents. */
export const trackingCodes: ReadonlyArray<ErrorCode> = [
  {
    code: "NO_TRACKING_INFO",
    status: 404,
    meaning: "no carrier that was asked knows the number yet; try again after an hour"
  },
  {
    code: "CARRIER_NOT_DETECTED",
    status: 422,
    meaning: "several carriers use such numbers: send carrier",
    details: {
      candidates: {
        type: "array",
        description: "Likely carriers, likeliest first.",
        items: {
          type: "object",
          properties: {
            code: { type: "integer", description: "Send it as carrier." },
            name: { type: "string", description: "Name of the carrier." }
          },
          required: ["code", "name"]
        }
      }
    }
  },
  {
    code: "ADDITIONAL_FIELD_REQUIRED",
    status: 422,
    meaning: "the carrier needs the parameter that details.field names: send it",
    details: { field: { type: "string", enum: additionalFields, description: "The parameter to send." } }
  },
  { code: "INVALID_CARRIER", status: 422, meaning: "the carrier is unknown, or doesn't fit the number" }
]

/** 400, 404 or 422: why a shipment can't be looked up. */
export const trackingFailure = (error: TrackRefusal): ApiFailure => {
  const { message } = error
  switch (error._tag) {
    case "InvalidTrackingNumber":
      return validationFailure([{ path: "number", message }])
    case "NoTrackingInfo":
      return new ApiFailure({
        status: 404,
        code: "NO_TRACKING_INFO",
        message,
        ...(error.costUsd === undefined ? {} : { costAtomic: atomicOfUsd(error.costUsd) })
      })
    case "CarrierNotDetected": {
      const candidates = (error.candidates ?? []).map(({ code, name }) => ({ code, name }))
      return new ApiFailure({ status: 422, code: "CARRIER_NOT_DETECTED", message, details: { candidates } })
    }
    case "InvalidCarrier":
      return new ApiFailure({ status: 422, code: "INVALID_CARRIER", message })
    case "AdditionalFieldRequired":
      return new ApiFailure({
        status: 422,
        code: "ADDITIONAL_FIELD_REQUIRED",
        message,
        details: { field: error.field }
      })
  }
}
