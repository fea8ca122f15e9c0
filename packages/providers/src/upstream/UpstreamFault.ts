import { Data, type Redacted } from "effect"
import {
  type PortName,
  TemporarilyUnavailable,
  UpstreamFailed,
  UpstreamUnavailable
} from "@till402/core/effect"
import type { Answer } from "./Answer.ts"

/*
 * What can go wrong between us and an upstream. Messages hold the upstream's name, numbers and statuses:
 * never an address of a request, a header, or words of the answer, since these quote queries and keys.
 */

/** No connection, or it broke before the answer was whole. `code`: the platform's word, `ECONNREFUSED`. */
export class Unreachable extends Data.TaggedError("Unreachable")<{
  readonly upstream: string
  readonly code?: string
}> {
  override get message(): string {
    return `${this.upstream} can't be reached`
  }
}

/** No whole answer within `timeoutMillis`. What the upstream did is not known. */
export class TimedOut extends Data.TaggedError("TimedOut")<{
  readonly upstream: string
  readonly timeoutMillis: number
}> {
  override get message(): string {
    return `${this.upstream} did not answer within ${this.timeoutMillis} ms`
  }
}

/** An answer with a status that is not a success. */
export class Rejected extends Data.TaggedError("Rejected")<{
  readonly upstream: string
  readonly status: number
  /** How long the upstream asks us to wait. */
  readonly retryAfterMillis?: number
  /** The whole answer: for who reads the upstream's own error codes. */
  readonly answer: Redacted.Redacted<Answer>
  /** An attempt before this one ended without an answer to go by: the upstream may have acted on that one. */
  readonly afterLostAttempt?: true
}> {
  override get message(): string {
    return `${this.upstream} answered with status ${this.status}`
  }
  get code(): string {
    return `HTTP_${this.status}`
  }
}

/** The upstream asked for a pause that lasts longer than this call may. Nothing was sent. */
export class RateLimited extends Data.TaggedError("RateLimited")<{
  readonly upstream: string
  readonly retryAfterMillis: number
}> {
  override get message(): string {
    return `${this.upstream} wants no calls for ${this.retryAfterMillis} ms`
  }
}

/** The upstream failed several times in a row and is left alone for a while. Nothing was sent. */
export class CircuitOpen extends Data.TaggedError("CircuitOpen")<{
  readonly upstream: string
  readonly retryAfterMillis: number
}> {
  override get message(): string {
    return `${this.upstream} is left alone for ${this.retryAfterMillis} ms after repeated failures`
  }
}

/** Too many calls are waiting already, or this one's turn would have come too late. Nothing was sent. */
export class Overloaded extends Data.TaggedError("Overloaded")<{ readonly upstream: string }> {
  override get message(): string {
    return `too many calls are waiting for ${this.upstream}`
  }
}

/** The answer grew past the bound and was dropped. */
export class AnswerTooLarge extends Data.TaggedError("AnswerTooLarge")<{
  readonly upstream: string
  readonly maxBytes: number
}> {
  override get message(): string {
    return `${this.upstream} answered with more than ${this.maxBytes} bytes`
  }
}

/** The answer is not the document that was expected. `detail` names fields, never their values. */
export class AnswerMalformed extends Data.TaggedError("AnswerMalformed")<{
  readonly upstream: string
  readonly detail: string
}> {
  override get message(): string {
    return `${this.upstream} answered with an unusable document: ${this.detail}`
  }
}

/** The upstream points elsewhere. Not followed: the key would travel along. */
export class Redirected extends Data.TaggedError("Redirected")<{ readonly upstream: string }> {
  override get message(): string {
    return `${this.upstream} answered with a redirect, which is not followed`
  }
}

export type UpstreamFault =
  | Unreachable
  | TimedOut
  | Rejected
  | RateLimited
  | CircuitOpen
  | Overloaded
  | AnswerTooLarge
  | AnswerMalformed
  | Redirected

/**
 * Statuses that say "not now": over quota (402, 429), busy or down (503, 504, the 52x of a proxy). The
 * same request may do later.
 */
const saysNotNow = (status: number): boolean =>
  [402, 408, 425, 429, 502, 503, 504, 529].includes(status) || (status >= 520 && status <= 527)

/** Whether the upstream is away for now (503), rather than broken or misused (502). */
export const isUnavailable = (fault: UpstreamFault): boolean => {
  switch (fault._tag) {
    case "Unreachable":
    case "TimedOut":
    case "RateLimited":
    case "CircuitOpen":
    case "Overloaded":
      return true
    case "Rejected":
      return saysNotNow(fault.status)
    case "AnswerTooLarge":
    case "AnswerMalformed":
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
  "AnswerTooLarge",
  "AnswerMalformed",
  "Redirected"
])

/** Whether an error is a fault of an upstream. */
export const isFault = (error: { readonly _tag: string }): error is UpstreamFault => faultTags.has(error._tag)

/** How long to wait before the same call may do, where that is known. */
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

/** The fault as a port of an Effect host fails with it. */
export const toPortError = (port: PortName, fault: UpstreamFault): UpstreamFailed | UpstreamUnavailable =>
  isUnavailable(fault)
    ? new UpstreamUnavailable({ port, cause: fault, ...retryAfterOf(fault) })
    : new UpstreamFailed({ port, cause: fault })

/** The fault as a plain function throws it: `TemporarilyUnavailable` (503), or the fault itself (502). */
export const toThrown = (fault: UpstreamFault): TemporarilyUnavailable | UpstreamFault =>
  isUnavailable(fault)
    ? Object.assign(new TemporarilyUnavailable({ message: fault.message, ...retryAfterOf(fault) }), {
        // What logs may tell beside the name.
        code: "code" in fault && fault.code !== undefined ? fault.code : fault._tag
      })
    : fault
