import { StoreError, UpstreamFailed, UpstreamUnavailable, type UpstreamError } from "../domain/Errors.ts"
import { DeadlineExceeded } from "./Deadline.ts"
import { MalformedResponse } from "./MalformedResponse.ts"

const isUpstreamError = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamFailed || error instanceof UpstreamUnavailable

const maxCauseDepth = 4

/**
 * Describes an upstream's failure safely for a log, by names and codes. Messages are left out, since they may quote a
 * query or an address, except those that this package writes itself.
 *
 * @example
 * causeName(new UpstreamFailed({ port: "tracking", cause: refusedConnection }))
 * // "UpstreamFailed: TypeError ECONNREFUSED"
 */
export const causeName = (cause: unknown, depth = 0): string => {
  if (cause instanceof MalformedResponse || cause instanceof DeadlineExceeded) return cause.message
  if (!(cause instanceof Error)) return typeof cause
  const code: unknown = "code" in cause ? cause.code : undefined
  const named = cause instanceof StoreError ? `${cause.name} ${cause.operation}` : cause.name
  const name = typeof code === "string" && /^\w{1,60}$/.test(code) ? `${named} ${code}` : named
  if (depth === maxCauseDepth) return name
  const inner: ReadonlyArray<unknown> =
    cause instanceof AggregateError
      ? cause.errors
      : (isUpstreamError(cause) || cause instanceof StoreError) && cause.cause !== undefined
        ? [cause.cause]
        : []
  return inner.length === 0 ? name : `${name}: ${inner.map((each) => causeName(each, depth + 1)).join("; ")}`
}
