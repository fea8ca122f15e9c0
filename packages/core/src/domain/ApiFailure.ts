import { Data } from "effect"
import type {
  AddressNotServed,
  PortName,
  ProductNotFound,
  ProductUnavailable,
  StoreError,
  UpstreamError
} from "./Errors.ts"
import type { TrackRefusal } from "./Errors.ts"
import type { ApiError, Issue } from "./ApiError.ts"

/** An error response. Its cause stays in the log. */
export class ApiFailure extends Data.TaggedError("ApiFailure")<{
  readonly status: number
  /** For programs: `PRODUCT_NOT_FOUND`. Listed in docs/errors.md. */
  readonly code: string
  /** For people: what happened, what was charged, what to do. */
  readonly message: string
  readonly details?: ApiError["details"] & {}
  /** Sent as `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** Methods that the path supports; sent as `Allow`. */
  readonly allow?: string
}> {}

/** Ends messages about work that failed before its payment settled. */
export const nothingCharged = " Nothing was charged."

interface Row {
  readonly status: number
  readonly code: string
  /** For errors without a message of their own. */
  readonly message?: string
  readonly retryAfterSeconds?: number
}

/** Status, code and text of each error of the domain, by its tag. */
const table = {
  ProductNotFound: { status: 400, code: "PRODUCT_NOT_FOUND" },
  ProductUnavailable: { status: 400, code: "PRODUCT_UNAVAILABLE" },
  AddressNotServed: { status: 400, code: "ADDRESS_NOT_SERVED" },
  NoTrackingInfo: { status: 404, code: "NO_TRACKING_INFO" },
  CarrierNotDetected: { status: 422, code: "CARRIER_NOT_DETECTED" },
  InvalidCarrier: { status: 422, code: "INVALID_CARRIER" },
  AdditionalFieldRequired: { status: 422, code: "ADDITIONAL_FIELD_REQUIRED" },
  ItemNotFound: {
    status: 404,
    code: "ITEM_NOT_FOUND",
    message: "No vault item has this slug. Find one with GET /x402/vault/search."
  },
  PurchaseNotFound: {
    status: 404,
    code: "PURCHASE_NOT_FOUND",
    message: `No purchase has this id.${nothingCharged}`
  },
  DownloadForbidden: {
    status: 403,
    code: "DOWNLOAD_FORBIDDEN",
    message: `The downloadToken doesn't belong to this purchase.${nothingCharged}`
  },
  DownloadExpired: {
    status: 403,
    code: "DOWNLOAD_EXPIRED",
    message: `The time in which this purchase can be downloaded is over.${nothingCharged}`
  },
  DownloadsUsedUp: {
    status: 403,
    code: "DOWNLOADS_USED_UP",
    message: `This purchase has been downloaded as often as it may be.${nothingCharged}`
  },
  RateLimited: {
    status: 429,
    code: "RATE_LIMITED",
    message: "Too many quotes were requested. Retry later, or pay the quote you have."
  },
  StoreError: {
    status: 503,
    code: "STORAGE_UNAVAILABLE",
    message: "The service can't reach its storage. Retry with the same payment.",
    retryAfterSeconds: 5
  }
} satisfies Readonly<Record<string, Row>>

const failureOf = (
  tag: keyof typeof table,
  extra: Partial<Pick<ApiFailure, "message" | "retryAfterSeconds">> & Pick<ApiFailure, "details"> = {}
): ApiFailure => new ApiFailure({ message: "", ...table[tag], ...extra })

/** 400: lists every fault of the input. */
export const validationFailure = (issues: ReadonlyArray<Issue>): ApiFailure =>
  new ApiFailure({
    status: 400,
    code: "VALIDATION_ERROR",
    message: `The request is not valid: ${issues
      .slice(0, 3)
      .map(({ message, path }) => (path === "" ? message : `${path} ${message}`))
      .join("; ")}${issues.length > 3 ? "; …" : ""}`,
    details: { issues: issues.map(({ message, path }) => ({ path, message })) }
  })

/** How codes and messages name a port. */
const ports: Record<PortName, { readonly code: string; readonly noun: string }> = {
  marketplace: { code: "MARKETPLACE", noun: "marketplace" },
  assistant: { code: "ASSISTANT", noun: "assistant" },
  fulfilment: { code: "FULFILMENT", noun: "fulfilment provider" },
  tracking: { code: "TRACKING_PROVIDER", noun: "tracking provider" },
  vault: { code: "VAULT", noun: "vault" },
  mail: { code: "MAIL", noun: "mail service" }
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

/** 503: the host's storage failed. */
export const storeFailure = ({ _tag }: StoreError): ApiFailure => failureOf(_tag)

/** 429: too many quotes were requested without payment, or the reason in `message`. */
export const rateLimited = (retryAfterSeconds: number, message?: string): ApiFailure =>
  failureOf("RateLimited", { retryAfterSeconds, ...(message === undefined ? {} : { message }) })

/** 404: no vault item has this slug. */
export const itemNotFound = failureOf("ItemNotFound")
/** 404: no purchase has this id. */
export const purchaseNotFound = failureOf("PurchaseNotFound")
/** 403: the download token belongs to another purchase. */
export const downloadForbidden = failureOf("DownloadForbidden")
/** 403: the purchase is older than the host lets it be downloaded. */
export const downloadExpired = failureOf("DownloadExpired")
/** 403: the purchase has been downloaded as often as the host allows. */
export const downloadsUsedUp = failureOf("DownloadsUsedUp")

/** 400: why a product can't be quoted. */
export const quoteFailure = (error: ProductNotFound | ProductUnavailable | AddressNotServed): ApiFailure => {
  const { _tag: tag, message } = error
  const reason = tag === "ProductUnavailable" ? error.reason : undefined
  return failureOf(tag, { message, ...(reason === undefined ? {} : { details: { reason } }) })
}

/** 400, 404 or 422: why a shipment can't be looked up. */
export const trackingFailure = (error: TrackRefusal): ApiFailure => {
  const { message } = error
  switch (error._tag) {
    case "InvalidTrackingNumber":
      return validationFailure([{ path: "number", message }])
    case "CarrierNotDetected": {
      const candidates = (error.candidates ?? []).map(({ code, name }) => ({ code, name }))
      return failureOf(error._tag, { message, details: { candidates } })
    }
    case "AdditionalFieldRequired":
      return failureOf(error._tag, { message, details: { field: error.field } })
    case "NoTrackingInfo":
    case "InvalidCarrier":
      return failureOf(error._tag, { message })
  }
}
