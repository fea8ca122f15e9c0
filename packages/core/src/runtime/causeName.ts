import { Data } from "effect"
import { StoreError, UpstreamFailed, UpstreamUnavailable, type UpstreamError } from "../domain/Errors.ts"

/** There was no response in time. Whether the upstream did anything is unknown. */
export class DeadlineExceeded extends Data.TaggedError("DeadlineExceeded")<{
  readonly message: string
  readonly timeoutMillis: number
}> {}

/** A response without the port's shape. `message` names the fields, never their values. */
export class MalformedResponse extends Data.TaggedError("MalformedResponse")<{ readonly message: string }> {}

const isUpstreamError = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamFailed || error instanceof UpstreamUnavailable

const maxCauseDepth = 4

/**
 * Describes an upstream's failure safely for a log, by name and code only.
 *
 * Its message is left out: it may quote a query or an address.
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
