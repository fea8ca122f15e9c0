import { Data } from "effect"
import type {
  AddressNotServed,
  PortName,
  ProductNotFound,
  ProductUnavailable,
  StoreError,
  UpstreamError
} from "./domain/Errors.ts"
import type { TrackRefusal } from "./ports/Tracker.ts"
import type { ApiError, Issue } from "./domain/ApiError.ts"

/** An error answer: what the caller is told. The cause stays in the log. */
export class ApiFailure extends Data.TaggedError("ApiFailure")<{
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details?: ApiError["details"] & {}
  readonly retryAfterSeconds?: number
  readonly allow?: string
}> {}

/** Ends messages about work that failed before its payment settled. */
export const nothingCharged = " Nothing was charged."

/** 400 with every fault found. */
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

/** The words of a port in codes and messages. */
const ports: Record<PortName, { readonly code: string; readonly noun: string }> = {
  marketplace: { code: "MARKETPLACE", noun: "marketplace" },
  assistant: { code: "ASSISTANT", noun: "assistant" },
  fulfilment: { code: "FULFILMENT", noun: "fulfilment provider" },
  tracking: { code: "TRACKING_PROVIDER", noun: "tracking provider" },
  vault: { code: "VAULT", noun: "vault" },
  mail: { code: "MAIL", noun: "mail service" }
}

/** 502 for an upstream that broke, 503 for one that is down. Nothing is charged for either. */
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

/** 503: the host's storage. */
export const storeFailure = (_error: StoreError): ApiFailure =>
  new ApiFailure({
    status: 503,
    code: "STORAGE_UNAVAILABLE",
    message: "The service can't reach its storage now; try again with the same payment.",
    retryAfterSeconds: 5
  })

/** 400: why a product can't be quoted. */
export const quoteFailure = (error: ProductNotFound | ProductUnavailable | AddressNotServed): ApiFailure => {
  switch (error._tag) {
    case "ProductNotFound":
      return new ApiFailure({ status: 400, code: "PRODUCT_NOT_FOUND", message: error.message })
    case "ProductUnavailable":
      return new ApiFailure({
        status: 400,
        code: "PRODUCT_UNAVAILABLE",
        message: error.message,
        ...(error.reason === undefined ? {} : { details: { reason: error.reason } })
      })
    case "AddressNotServed":
      return new ApiFailure({ status: 400, code: "ADDRESS_NOT_SERVED", message: error.message })
  }
}

/** 400, 404 or 422: what a lookup of a shipment was refused for. */
export const trackFailure = (error: TrackRefusal): ApiFailure => {
  const { message } = error
  switch (error._tag) {
    case "InvalidTrackingNumber":
      return validationFailure([{ path: "number", message }])
    case "NoTrackingInfo":
      return new ApiFailure({ status: 404, code: "NO_TRACKING_INFO", message })
    case "CarrierNotDetected":
      return new ApiFailure({
        status: 422,
        code: "CARRIER_NOT_DETECTED",
        message,
        details: { candidates: (error.candidates ?? []).map(({ code, name }) => ({ code, name })) }
      })
    case "AdditionalFieldRequired":
      return new ApiFailure({
        status: 422,
        code: "ADDITIONAL_FIELD_REQUIRED",
        message,
        details: { field: error.field }
      })
    case "InvalidCarrier":
      return new ApiFailure({ status: 422, code: "INVALID_CARRIER", message })
  }
}
