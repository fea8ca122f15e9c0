import { Clock, Effect, Semaphore } from "effect"
import { report } from "../../runtime/events.ts"
import type { SupportedKind } from "./FacilitatorVerdicts.ts"

/** Why a facilitator's `/supported` could not be read. */
export interface SupportedFault {
  /** `http_401`, `ENOTFOUND facilitator.example`, `no_json`, or the name of an error. */
  readonly reason: string
  /** As its `Retry-After` header says. */
  readonly retryAfterMillis?: number | undefined
}

export interface SupportedSource {
  /** Name and address of the facilitator, for events. */
  readonly name: string
  readonly address: string | undefined
  /** `undefined`: it has no list, so nothing is read. */
  readonly fetch: Effect.Effect<ReadonlyArray<SupportedKind>, SupportedFault> | undefined
}

const lifetimeMillis = 600_000
/** A facilitator that is starting lists nothing yet. */
const emptyLifetimeMillis = 10_000
const firstRetryMillis = 5_000

/**
 * The kinds of payment that a facilitator lists, read again every ten minutes. When that fails, the last list counts
 * and is read again with backoff: a rate limit or a slow start doesn't make a facilitator unknown.
 */
export class SupportedKinds {
  /** The last list; `undefined`: none was read yet. */
  known: ReadonlyArray<SupportedKind> | undefined
  private readonly source: SupportedSource
  private readonly turn = Semaphore.makeUnsafe(1)
  private nextMillis = 0
  private failures = 0
  private wasEmpty = false
  constructor(source: SupportedSource) {
    this.source = source
    if (source.fetch === undefined) this.known = []
  }

  /** Whether the list was requested at least once. */
  get isTried(): boolean {
    return this.known !== undefined || this.failures > 0
  }

  /** Reads the list if it is due. Concurrent readers wait for one request. */
  readonly refresh: Effect.Effect<void> = Effect.suspend(() => this.turn.withPermits(1)(this.refreshIfDue()))

  private readonly refreshIfDue = Effect.fnUntraced({ self: this }, function* (): Effect.fn.Return<void> {
    const { fetch } = this.source
    if (fetch === undefined || (yield* Clock.currentTimeMillis) < this.nextMillis) return
    const result = yield* Effect.result(fetch)
    const nowMillis = yield* Clock.currentTimeMillis
    if (result._tag === "Success") {
      this.known = result.success
      this.failures = 0
      const isEmpty = result.success.length === 0
      this.nextMillis = nowMillis + (isEmpty ? emptyLifetimeMillis : lifetimeMillis)
      if (isEmpty && !this.wasEmpty) yield* this.warn("no_kinds")
      this.wasEmpty = isEmpty
      return
    }
    const { reason, retryAfterMillis = 0 } = result.failure
    const backoffMillis = Math.max(firstRetryMillis * 2 ** this.failures, retryAfterMillis)
    this.nextMillis = nowMillis + Math.min(lifetimeMillis, backoffMillis)
    this.failures++
    if (this.failures === 1) yield* this.warn(reason)
  })

  private warn(reason: string): Effect.Effect<void> {
    const { address, name } = this.source
    const subject = address === undefined ? `The facilitator ${name}` : `The facilitator at ${address}`
    const status = /^http_(\d{3})$/.exec(reason)?.[1]
    const what = status === undefined ? `: ${reason}` : ` and responded with HTTP status ${status}`
    return report(
      "Warn",
      "facilitator_not_ready",
      `${subject} did not list the payments that it supports${what}. ${hintOf(status ?? reason, address !== undefined)}`,
      { port: "facilitator", reason, facilitator: name }
    )
  }
}

/** What the host can do about a status, or another reason. */
const hintOf = (status: string, hasAddress: boolean): string => {
  if (status === "401" || status === "403") return "Check its keys: facilitator.headers must return them"
  if (status === "404") return "Check its address: /supported is read below it"
  if (status === "no_kinds" && !hasAddress)
    return "Its getSupported must list them, or be left out. It is read again"
  if (status === "no_json" || status === "no_kinds")
    return "Check its address: it must be that of a facilitator. It is read again"
  if (status === "headers_failed")
    return "Correct facilitator.headers, which threw, or made a value of a variable that isn't set"
  return "It is retried with backoff"
}
