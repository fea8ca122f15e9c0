import { Data } from "effect"
import type { ApiError, Issue } from "./ApiError.ts"

/** An error response. Its cause stays in the log. */
export class ApiFailure extends Data.TaggedError("ApiFailure")<{
  readonly status: number
  /** For programs: `VALIDATION_ERROR`. Listed in docs/errors.md. */
  readonly code: string
  /** For people: what happened, what was charged, what to do. */
  readonly message: string
  readonly details?: ApiError["details"] & {}
  /** Seconds, not milliseconds: sent as `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** What the failed work cost the host, in atomic units, if it is known: else as much as its price. Never sent. */
  readonly costAtomic?: bigint
  /** Methods that the path supports; sent as `Allow`. */
  readonly allow?: string
}> {}

/** Ends messages about work that failed before its payment settled. */
export const nothingCharged = " Nothing was charged."

/** 500: a defect, whose details are in an event. */
export const defectFailure = (details?: ApiError["details"]): ApiFailure =>
  new ApiFailure({
    status: 500,
    code: "INTERNAL_ERROR",
    message: "Something broke on our side. If you paid, send the same payment again.",
    ...(details === undefined ? {} : { details })
  })

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

/** 503: the host's storage failed. */
export const storeFailure = (): ApiFailure =>
  new ApiFailure({
    status: 503,
    code: "STORAGE_UNAVAILABLE",
    message: "The service can't reach its storage. Retry with the same payment.",
    retryAfterSeconds: 5
  })

/** 429: too many quotes were requested without payment, or the reason in `message`. */
export const rateLimited = (
  retryAfterSeconds: number,
  message = "Too many quotes were requested. Retry later, or pay the quote you have."
): ApiFailure => new ApiFailure({ status: 429, code: "RATE_LIMITED", message, retryAfterSeconds })
