import { Clock, Effect, Exit, Option, Random, Result } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"
import type { UpstreamResponse } from "./UpstreamResponse.ts"
import { makeBreaker } from "./Breaker.ts"
import { checkUpstreamSettings } from "./SettingReaders.ts"
import type { Limiter } from "./Limiter.ts"
import { isRetryable, pauseMillis, type RetrySettings } from "./Retry.ts"
import { type Send, sender } from "./Sender.ts"
import {
  isUnavailable,
  Overloaded,
  RateLimited,
  Rejected,
  TimedOut,
  type UpstreamFault
} from "./UpstreamFault.ts"
import type { UpstreamSettings, UpstreamUsage } from "./UpstreamSettings.ts"
import { IsUnpaid } from "./UnpaidCalls.ts"
import { UsageMeter } from "./UsageMeter.ts"
import { Bulkhead } from "./Bulkhead.ts"

export interface UpstreamOptions extends UpstreamSettings {
  /** Short name for errors, metrics and spans: `canopy`. */
  readonly name: string
  /** Delays attempts to a rate; see `rateLimiter`. */
  readonly limiter?: Limiter | undefined
}

export interface CallOptions {
  /** Whether the request may be sent twice; default: only GET and HEAD. */
  readonly idempotent?: boolean
  /** Delays this call's attempts instead of the upstream's limiter: for endpoints with a rate of their own. */
  readonly limiter?: Limiter
}

/** Calls to one upstream's API. */
export interface Upstream {
  readonly name: string
  /**
   * Sends a request and reads the whole response. Succeeds with a status 2xx; any other status is
   * `Rejected`, which contains the response. Redirects are not followed.
   */
  readonly call: (
    request: HttpClientRequest.HttpClientRequest,
    options?: CallOptions
  ) => Effect.Effect<UpstreamResponse, UpstreamFault>
  /** Records units of quota that a call spent. */
  readonly recordQuotaSpent: (units: number) => Effect.Effect<void>
  /** Records the units of quota that the upstream reports as left. */
  readonly recordQuotaRemaining: (units: number) => Effect.Effect<void>
  readonly usage: () => UpstreamUsage
}

/** The longest pause applied to all callers: one odd `Retry-After` must not stop calls for a day. */
const maxQuietMillis = 300_000
const retryPauses = { baseMillis: 200, maxMillis: 5_000 }

/**
 * Makes an upstream over the `HttpClient` of the context.
 *
 * A call has a timeout for each attempt, a deadline, retries with jitter and `Retry-After` if idempotent, a
 * circuit breaker, a concurrency limit, a bounded response, and metrics.
 *
 * Dies with a `ConfigurationError` if a setting is not a whole number or too low.
 *
 * Errors, spans and metrics contain nothing of a request, and no trace header is sent.
 *
 * @example
 * import { makeUpstream, parseJson } from "@till402/providers/upstream"
 * import { Effect } from "effect"
 * import { FetchHttpClient, HttpClientRequest } from "effect/http"
 *
 * const program = Effect.gen(function* () {
 *   const upstream = yield* makeUpstream({ name: "prices", timeoutMillis: 2_000 })
 *   const response = yield* upstream.call(HttpClientRequest.get("https://prices.example/v1/today"))
 *   return yield* parseJson(response)
 * }).pipe(Effect.provide(FetchHttpClient.layer))
 */
export const makeUpstream = (
  options: UpstreamOptions
): Effect.Effect<Upstream, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const { name } = options
    checkUpstreamSettings(name, options)
    const deadlineMillis = options.deadlineMillis ?? 7_500
    const meter = new UsageMeter(name)
    const send = sender(client, {
      name,
      meter,
      maxResponseBytes: options.maxResponseBytes ?? 4 * 1024 * 1024
    })
    const circuit = {
      failures: options.circuitFailures ?? 5,
      openMillis: options.circuitOpenMillis ?? 5_000,
      maxOpenMillis: 12 * (options.circuitOpenMillis ?? 5_000)
    }
    const breaker = yield* makeBreaker(name, meter, circuit)
    // Anybody can request quotes that fail, for goods of a shop that doesn't respond.
    const unpaidBreaker = yield* makeBreaker(name, meter, { ...circuit, isUnpaid: true })
    const sendRetrying = makeRetrying({
      name,
      send,
      timeoutMillis: options.timeoutMillis ?? 5_000,
      retry: { ...retryPauses, retries: options.retries ?? 2 }
    })
    const { maxConcurrent = 16, maxWaiting = 256 } = options
    const queue = new Bulkhead(name, maxConcurrent, maxWaiting)
    const unpaidQueue = new Bulkhead(
      name,
      Math.max(1, Math.floor(maxConcurrent / 2)),
      Math.floor(maxWaiting / 2)
    )
    // The rest is for the upstream: a call that began too late would look like an upstream that is down.
    const maxWaitMillis = deadlineMillis / 2
    const missed = () => Effect.fail(new TimedOut({ upstream: name, timeoutMillis: deadlineMillis }))
    // Inside the breaker, which ignores interrupted calls.
    const withDeadline = <A>(deadline: number, call: Effect.Effect<A, UpstreamFault>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.timeoutOrElse(call, { duration: Math.max(1, deadline - now), orElse: missed })
      )

    return {
      name,
      call: (request, { idempotent = isSafe(request.method), limiter = options.limiter } = {}) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const deadline = now + deadlineMillis
          const isUnpaid = yield* IsUnpaid
          const attempts = sendRetrying({ request, idempotent, limiter, deadline, isUnpaid })
          const entering = Effect.flatMap(Clock.currentTimeMillis, (enteredAt) =>
            queue.enter(
              Math.max(1, now + maxWaitMillis - enteredAt),
              (isUnpaid ? unpaidBreaker : breaker).guard(withDeadline(deadline, attempts))
            )
          )
          return yield* metered(meter, now, isUnpaid ? unpaidQueue.enter(maxWaitMillis, entering) : entering)
        }).pipe(
          Effect.withSpan("Upstream.call", { attributes: { upstream: name } }, { captureStackTrace: false })
        ),
      recordQuotaSpent: (units) => meter.recordQuotaSpent(units),
      recordQuotaRemaining: (units) => meter.recordQuotaRemaining(units),
      usage: () => meter.usage()
    }
  })

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD"

const metered = <A>(
  meter: UsageMeter,
  startedAt: number,
  call: Effect.Effect<A, UpstreamFault>
): Effect.Effect<A, UpstreamFault> =>
  Effect.onExit(call, (exit) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      meter.recordCall(
        Exit.isSuccess(exit)
          ? "ok"
          : Option.match(Exit.findErrorOption(exit), {
              onNone: () => "Interrupted",
              onSome: ({ _tag }) => _tag
            }),
        now - startedAt
      )
    )
  )

interface Attempts {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly idempotent: boolean
  readonly limiter: Limiter | undefined
  readonly isUnpaid: boolean
  /** Milliseconds since the epoch. */
  readonly deadline: number
}

/** Sends attempts until one succeeds, none is left, or the next would miss the deadline. */
const makeRetrying = (options: {
  readonly name: string
  readonly send: Send
  readonly timeoutMillis: number
  readonly retry: RetrySettings
}) => {
  const { name, retry, send, timeoutMillis } = options
  // The upstream requested a pause until then. It applies to all callers, who share one key. Anybody can make unpaid
  // calls exceed a rate, so a pause that is requested of one of them applies to unpaid calls only.
  let quietUntil = 0
  let unpaidQuietUntil = 0

  const waitForTurn = Effect.fnUntraced(function* ({ deadline, isUnpaid, limiter }: Attempts) {
    const until = isUnpaid ? Math.max(quietUntil, unpaidQuietUntil) : quietUntil
    const quietMillis = until - (yield* Clock.currentTimeMillis)
    if (quietMillis > 0) {
      if (until >= deadline) {
        return yield* new RateLimited({ upstream: name, retryAfterMillis: quietMillis })
      }
      yield* Effect.sleep(quietMillis)
    }
    const left = deadline - (yield* Clock.currentTimeMillis)
    if (left <= 0) return yield* new Overloaded({ upstream: name })
    if (limiter !== undefined && !(yield* limiter.take(left - 1))) {
      return yield* new Overloaded({ upstream: name })
    }
  })

  return Effect.fnUntraced(function* (attempts: Attempts) {
    const { deadline, idempotent, isUnpaid, request } = attempts
    let last: UpstreamFault | undefined
    let wasLost = false
    for (let attempt = 1; ; attempt++) {
      // A refused turn means that nothing was sent, which is wrong for a second attempt.
      yield* Effect.mapError(waitForTurn(attempts), (fault) => last ?? fault)
      const left = deadline - (yield* Clock.currentTimeMillis)
      const result = yield* Effect.result(send(request, Math.max(1, Math.min(timeoutMillis, left))))
      if (Result.isSuccess(result)) return result.success
      const fault = result.failure
      const now = yield* Clock.currentTimeMillis
      if (fault._tag === "Rejected" && fault.retryAfterMillis !== undefined && isUnavailable(fault)) {
        const until = now + Math.min(fault.retryAfterMillis, maxQuietMillis)
        if (isUnpaid) unpaidQuietUntil = Math.max(unpaidQuietUntil, until)
        else quietUntil = Math.max(quietUntil, until)
      }
      last = wasLost && fault._tag === "Rejected" ? new Rejected({ ...fault, afterLostAttempt: true }) : fault
      wasLost ||= !(fault._tag === "Rejected" && fault.status === 429)
      if (attempt > retry.retries || !isRetryable(fault, idempotent)) return yield* Effect.fail(last)
      const pause = pauseMillis(attempt, fault, yield* Random.next, retry)
      if (now + pause >= deadline) return yield* Effect.fail(last)
      yield* Effect.sleep(pause)
    }
  })
}
