import { Clock, Effect, Exit, Option, Random, Result } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"
import type { Answer } from "./Answer.ts"
import { makeBreaker } from "./Breaker.ts"
import { checkSettings } from "./Configured.ts"
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
import type { UpstreamSettings, UpstreamUsage } from "./Settings.ts"
import { Ledger } from "./Usage.ts"
import { WaitingRoom } from "./WaitingRoom.ts"

export interface UpstreamOptions extends UpstreamSettings {
  /** Short name in errors, metrics and spans: `canopy`. */
  readonly name: string
  /** Holds attempts back to a rate; see `paced`. */
  readonly limiter?: Limiter
}

export interface CallOptions {
  /** Whether the same request twice does no harm; default: what its method says (GET and HEAD). */
  readonly idempotent?: boolean
}

/** One upstream's API, called with care. */
export interface Upstream {
  readonly name: string
  /**
   * Sends a request and reads the whole answer. Succeeds with an answer of status 2xx; any other status
   * is `Rejected`, which holds the answer. Redirects are not followed.
   */
  readonly call: (
    request: HttpClientRequest.HttpClientRequest,
    options?: CallOptions
  ) => Effect.Effect<Answer, UpstreamFault>
  /** Notes units of quota that a call spent. */
  readonly quotaWasSpent: (units: number) => Effect.Effect<void>
  /** Notes units of quota that are left, where the upstream says so. */
  readonly quotaIsLeft: (units: number) => Effect.Effect<void>
  readonly usage: () => UpstreamUsage
}

/** The longest pause kept for all callers: one odd `Retry-After` must not silence an upstream for a day. */
const maxQuietMillis = 300_000
const retryPauses = { baseMillis: 200, maxMillis: 5_000 }

/**
 * An upstream over the `HttpClient` at hand: a timeout for each attempt and a deadline for the whole,
 * repeats of idempotent calls with jitter and `Retry-After`, a circuit breaker, a cap on concurrency,
 * a bound on the answer, counts of it all.
 *
 * Dies of a `ConfigurationError` for settings that are no numbers or too low: that is a fault of the code.
 *
 * Nothing of a request stands in errors, spans or metrics, and no trace header is sent along.
 *
 * @example
 * import { makeUpstream, parseJson } from "@till402/providers/upstream"
 * import { Effect } from "effect"
 * import { FetchHttpClient, HttpClientRequest } from "effect/http"
 *
 * const program = Effect.gen(function* () {
 *   const upstream = yield* makeUpstream({ name: "prices", timeoutMillis: 2_000 })
 *   const answer = yield* upstream.call(HttpClientRequest.get("https://prices.example/v1/today"))
 *   return yield* parseJson(answer)
 * }).pipe(Effect.provide(FetchHttpClient.layer))
 */
export const makeUpstream = (
  options: UpstreamOptions
): Effect.Effect<Upstream, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const { name } = options
    checkSettings(name, options)
    const deadlineMillis = options.deadlineMillis ?? 7_500
    const ledger = new Ledger(name)
    const send = sender(client, {
      name,
      ledger,
      maxAnswerBytes: options.maxAnswerBytes ?? 4 * 1024 * 1024
    })
    const breaker = yield* makeBreaker(name, ledger, {
      failures: options.circuitFailures ?? 5,
      openMillis: options.circuitOpenMillis ?? 5_000,
      maxOpenMillis: 12 * (options.circuitOpenMillis ?? 5_000)
    })
    const persist = persistently({
      name,
      send,
      limiter: options.limiter,
      timeoutMillis: options.timeoutMillis ?? 5_000,
      retry: { ...retryPauses, retries: options.retries ?? 2 }
    })
    const queue = new WaitingRoom(name, options.maxConcurrent ?? 16, options.maxWaiting ?? 256)
    const missed = () => Effect.fail(new TimedOut({ upstream: name, timeoutMillis: deadlineMillis }))
    // Inside of the breaker, to which a call that is merely interrupted says nothing.
    const endedBy = <A>(deadline: number, call: Effect.Effect<A, UpstreamFault>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.timeoutOrElse(call, { duration: Math.max(1, deadline - now), orElse: missed })
      )

    return {
      name,
      call: (request, { idempotent = request.method === "GET" || request.method === "HEAD" } = {}) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const deadline = now + deadlineMillis
          return counted(
            ledger,
            now,
            queue.enter(
              deadlineMillis,
              breaker.guard(endedBy(deadline, persist(request, idempotent, deadline)))
            )
          )
        }).pipe(Effect.withSpan("Upstream.call", { attributes: { upstream: name } })),
      quotaWasSpent: (units) => ledger.quotaWasSpent(units),
      quotaIsLeft: (units) => ledger.quotaIsLeft(units),
      usage: () => ledger.usage()
    }
  })

const counted = <A>(
  ledger: Ledger,
  startedAt: number,
  call: Effect.Effect<A, UpstreamFault>
): Effect.Effect<A, UpstreamFault> =>
  Effect.onExit(call, (exit) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      ledger.callEnded(
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

/** Attempts, each in its turn, until one does, none is left, or the next would come past the deadline. */
const persistently = (options: {
  readonly name: string
  readonly send: Send
  readonly limiter: Limiter | undefined
  readonly timeoutMillis: number
  readonly retry: RetrySettings
}) => {
  const { limiter, name, retry, send, timeoutMillis } = options
  // Until then the upstream asked to be left in peace; for all callers, since the key is one.
  let quietUntil = 0

  const turn = Effect.fnUntraced(function* (deadline: number) {
    const quietMillis = quietUntil - (yield* Clock.currentTimeMillis)
    if (quietMillis > 0) {
      if (quietUntil >= deadline) {
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

  return Effect.fnUntraced(function* (
    request: HttpClientRequest.HttpClientRequest,
    idempotent: boolean,
    deadline: number
  ) {
    let last: UpstreamFault | undefined
    let wasLost = false
    for (let attempt = 1; ; attempt++) {
      // A turn that does not come says that nothing was sent, which is not true of a second attempt.
      yield* Effect.mapError(turn(deadline), (fault) => last ?? fault)
      const left = deadline - (yield* Clock.currentTimeMillis)
      const result = yield* Effect.result(send(request, Math.max(1, Math.min(timeoutMillis, left))))
      if (Result.isSuccess(result)) return result.success
      const fault = result.failure
      const now = yield* Clock.currentTimeMillis
      if (fault._tag === "Rejected" && fault.retryAfterMillis !== undefined && isUnavailable(fault)) {
        quietUntil = Math.max(quietUntil, now + Math.min(fault.retryAfterMillis, maxQuietMillis))
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
