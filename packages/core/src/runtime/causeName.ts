import { StoreError } from "../domain/Errors.ts"
import { DeadlineExceeded } from "./Deadline.ts"
import { MalformedResponse } from "./MalformedResponse.ts"
import { networkFault } from "./networkFault.ts"

/** Errors of this package are tagged, and name what they wrap as their cause. */
const isTagged = (error: Error): boolean => "_tag" in error

const maxCauseDepth = 4

/**
 * Describes an upstream's failure safely for a log, by names and codes. Messages are left out, since they may quote a
 * query or an address, except those that this package writes itself.
 *
 * @example
 * causeName(new StoreError({ operation: "charges.claim", cause: refusedConnection }))
 * // "StoreError charges.claim: TypeError ECONNREFUSED"
 */
export const causeName = (cause: unknown, depth = 0): string => {
  if (cause instanceof MalformedResponse || cause instanceof DeadlineExceeded) return cause.message
  if (!(cause instanceof Error)) return typeof cause
  if (cause.name === "HttpClientError") return networkFault(cause) ?? cause.name
  const code: unknown = "code" in cause ? cause.code : undefined
  const named = cause instanceof StoreError ? `${cause.name} ${cause.operation}` : cause.name
  const name = typeof code === "string" && /^\w{1,60}$/.test(code) ? `${named} ${code}` : named
  if (depth === maxCauseDepth) return name
  const inner: ReadonlyArray<unknown> =
    cause instanceof AggregateError
      ? cause.errors
      : isTagged(cause) && cause.cause !== undefined
        ? [cause.cause]
        : []
  return inner.length === 0 ? name : `${name}: ${inner.map((each) => causeName(each, depth + 1)).join("; ")}`
}
