import { Data, type Redacted } from "effect"
import {
  type PortName,
  TemporarilyUnavailable,
  UpstreamFailed,
  UpstreamUnavailable
} from "@till402/core/effect"
import type { UpstreamResponse } from "./UpstreamResponse.ts"

/*
 * Faults of calls to an upstream. Messages contain the upstream's name, numbers and statuses, but no URL,
 * header or text of the response, because these quote queries and keys.
 */

/** No connection, or it broke before the response was complete. `code`: the platform's, `ECONNREFUSED`. */
export class Unreachable extends Data.TaggedError("Unreachable")<{
  readonly upstream: string
  readonly code?: string
}> {
  override get message(): string {
    return `${this.upstream} can't be reached`
  }
}

/** No complete response within `timeoutMillis`. What the upstream did is unknown. */
export class TimedOut extends Data.TaggedError("TimedOut")<{
  readonly upstream: string
  readonly timeoutMillis: number
}> {
  override get message(): string {
    return `${this.upstream} did not respond within ${this.timeoutMillis} ms`
  }
}

/** A response with a status that is not a success. */
export class Rejected extends Data.TaggedError("Rejected")<{
  readonly upstream: string
  readonly status: number
  /** The pause that the upstream requests. */
  readonly retryAfterMillis?: number
  /** The whole response, for reading the upstream's own error codes. */
  readonly response: Redacted.Redacted<UpstreamResponse>
  /** An earlier attempt ended without a clear response: the upstream may have acted on it. */
  readonly afterLostAttempt?: true
}> {
  override get message(): string {
    return `${this.upstream} responded with status ${this.status}`
  }
  get code(): string {
    return `HTTP_${this.status}`
  }
}

/** The upstream requested a pause that is longer than the call's deadline. Nothing was sent. */
export class RateLimited extends Data.TaggedError("RateLimited")<{
  readonly upstream: string
  readonly retryAfterMillis: number
}> {
  override get message(): string {
    return `${this.upstream} requested a pause of ${this.retryAfterMillis} ms`
  }
}

/** The upstream failed repeatedly, so its circuit is open. Nothing was sent. */
export class CircuitOpen extends Data.TaggedError("CircuitOpen")<{
  readonly upstream: string
  readonly retryAfterMillis: number
}> {
  override get message(): string {
    return `${this.upstream} failed repeatedly and is not called for ${this.retryAfterMillis} ms`
  }
}

/** Too many calls are waiting, or this one would have waited past its deadline. Nothing was sent. */
export class Overloaded extends Data.TaggedError("Overloaded")<{ readonly upstream: string }> {
  override get message(): string {
    return `too many calls are waiting for ${this.upstream}`
  }
}

/** The response exceeded the bound and was dropped. */
export class ResponseTooLarge extends Data.TaggedError("ResponseTooLarge")<{
  readonly upstream: string
  readonly maxBytes: number
}> {
  override get message(): string {
    return `${this.upstream} responded with more than ${this.maxBytes} bytes`
  }
}

/** The response is not the expected document. `detail` names fields, never their values. */
export class ResponseMalformed extends Data.TaggedError("ResponseMalformed")<{
  readonly upstream: string
  readonly detail: string
}> {
  override get message(): string {
    return `${this.upstream} responded with an unusable document: ${this.detail}`
  }
}

/** The upstream responded with a redirect. It is not followed, because the key would be sent along. */
export class Redirected extends Data.TaggedError("Redirected")<{ readonly upstream: string }> {
  override get message(): string {
    return `${this.upstream} responded with a redirect, which is not followed`
  }
}

export type UpstreamFault =
  | Unreachable
  | TimedOut
  | Rejected
  | RateLimited
  | CircuitOpen
  | Overloaded
  | ResponseTooLarge
  | ResponseMalformed
  | Redirected

/**
 * Temporary statuses: over quota (402, 429), busy or down (503, 504, the 52x of a proxy). The same request
 * may succeed later.
 */
const isTemporaryStatus = (status: number): boolean =>
  [402, 408, 425, 429, 502, 503, 504, 529].includes(status) || (status >= 520 && status <= 527)

/** Whether the fault is temporary (503 of the till), rather than a malfunction or misuse (502). */
export const isUnavailable = (fault: UpstreamFault): boolean => {
  switch (fault._tag) {
    case "Unreachable":
    case "TimedOut":
    case "RateLimited":
    case "CircuitOpen":
    case "Overloaded":
      return true
    case "Rejected":
      return isTemporaryStatus(fault.status)
    case "ResponseTooLarge":
    case "ResponseMalformed":
    case "Redirected":
      return false
  }
}

const faultTags: ReadonlySet<string> = new Set<UpstreamFault["_tag"]>([
  "Unreachable",
  "TimedOut",
  "Rejected",
  "RateLimited",
  "CircuitOpen",
  "Overloaded",
  "ResponseTooLarge",
  "ResponseMalformed",
  "Redirected"
])

/** Whether an error is a fault of an upstream. */
export const isUpstreamFault = (error: { readonly _tag: string }): error is UpstreamFault =>
  faultTags.has(error._tag)

/** The pause until the same call may succeed, if known. */
export const retryAfterMillisOf = (error: { readonly _tag: string }): number | undefined => {
  if ("retryAfterMillis" in error && typeof error.retryAfterMillis === "number") return error.retryAfterMillis
  return "retryAfterSeconds" in error && typeof error.retryAfterSeconds === "number"
    ? error.retryAfterSeconds * 1_000
    : undefined
}

const retryAfterOf = (fault: UpstreamFault): { readonly retryAfterSeconds?: number } => {
  const millis = retryAfterMillisOf(fault)
  return millis === undefined ? {} : { retryAfterSeconds: Math.max(1, Math.ceil(millis / 1_000)) }
}

/** The fault as an error of an Effect host's port. */
export const toPortError = (port: PortName, fault: UpstreamFault): UpstreamFailed | UpstreamUnavailable =>
  isUnavailable(fault)
    ? new UpstreamUnavailable({ port, cause: fault, ...retryAfterOf(fault) })
    : new UpstreamFailed({ port, cause: fault })

/** The fault as a plain function throws it: `TemporarilyUnavailable` (503), or the fault itself (502). */
export const toThrown = (fault: UpstreamFault): TemporarilyUnavailable | UpstreamFault =>
  isUnavailable(fault)
    ? Object.assign(new TemporarilyUnavailable({ message: fault.message, ...retryAfterOf(fault) }), {
        // Safe in logs.
        code: "code" in fault && fault.code !== undefined ? fault.code : fault._tag
      })
    : fault
