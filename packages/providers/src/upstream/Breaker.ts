import { Cause, Duration, Effect, type Exit, Option, Schedule, Scope } from "effect"
import { CircuitBreaker } from "effect/persistence"
import type { UpstreamUsage } from "./UpstreamSettings.ts"
import { CircuitOpen, type UpstreamFault } from "./UpstreamFault.ts"
import type { UsageMeter } from "./UsageMeter.ts"

/*
 * Effect's circuit breaker for one upstream, with its in-memory store.
 */

export interface BreakerSettings {
  /** Consecutive failures that open the circuit. */
  readonly failures: number
  /** How long it stays open at first; doubles with each consecutive opening. */
  readonly openMillis: number
  /** Maximum time that it stays open; at least `openMillis`. */
  readonly maxOpenMillis: number
  /** Whether it is the circuit of calls for unpaid callers; default: no. */
  readonly isUnpaid?: boolean
}

/** The circuit of one upstream. */
export interface Breaker {
  /**
   * Runs a call unless the circuit is open. A call with its retries counts as one outcome.
   *
   * The call must have its own deadline: an interrupted call doesn't count.
   */
  readonly guard: <A>(call: Effect.Effect<A, UpstreamFault>) => Effect.Effect<A, UpstreamFault>
}

/** Makes a breaker that records each transition of its circuit in `meter`. */
export const makeBreaker = (
  name: string,
  meter: UsageMeter,
  settings: BreakerSettings
): Effect.Effect<Breaker> =>
  Effect.gen(function* () {
    const store = yield* CircuitBreaker.CircuitBreakerStore
    const { isUnpaid = false } = settings
    const record = (circuit: UpstreamUsage["circuit"]) => meter.recordCircuit(circuit, isUnpaid)
    const breaker = yield* CircuitBreaker.make({
      tripPolicy: CircuitBreaker.consecutive(settings.failures),
      openDuration: openDurations(settings),
      onStoreError: "fail"
    }).pipe(
      Effect.provideService(CircuitBreaker.CircuitBreakerStore, reportingTransitions(store, name, record)),
      // Never closed: closing only ends the unused stream of transitions.
      Effect.provideService(Scope.Scope, yield* Scope.make())
    )
    const circuit = { key: name, classify: outcomeOf }
    const refusal = ({ reason }: CircuitBreaker.CircuitBreakerError): Effect.Effect<never, CircuitOpen> => {
      switch (reason._tag) {
        case "CircuitOpen":
          return new CircuitOpen({ upstream: name, retryAfterMillis: Duration.toMillis(reason.retryAfter) })
        case "CircuitHalfOpen":
          // The probe's outcome is open. Wait as long as after a first opening.
          return new CircuitOpen({ upstream: name, retryAfterMillis: settings.openMillis })
        case "CircuitBreakerStoreError":
          // The in-memory store can't fail.
          return Effect.die(reason)
      }
    }
    return {
      guard: (call) => Effect.catchTag(breaker.execute(call, circuit), "CircuitBreakerError", refusal)
    } satisfies Breaker
  }).pipe(
    // One circuit per upstream: it needs no eviction, and stays open without calls.
    Effect.provide(CircuitBreaker.layerStoreMemory({ idleTimeToLive: Duration.infinity }))
  )

/**
 * Durations that double up to the maximum. The schedule ends there and its last value remains, because each
 * opening replays it from its start.
 */
const openDurations = ({ maxOpenMillis, openMillis }: BreakerSettings) =>
  Schedule.upTo(Schedule.min([Schedule.exponential(openMillis), Schedule.spaced(maxOpenMillis)]), {
    times: 1 + Math.ceil(Math.log2(maxOpenMillis / openMillis))
  })

/** What a call shows about the upstream's health. A 4xx, a malformed response and our own refusals are ignored. */
const outcomeOf = (exit: Exit.Exit<unknown, UpstreamFault>): CircuitBreaker.Outcome => {
  if (exit._tag === "Success") return CircuitBreaker.success
  const fault = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  switch (fault?._tag) {
    case "Unreachable":
    case "TimedOut":
      return failure
    case "Rejected":
      return fault.status >= 500 || fault.status === 408 ? failure : CircuitBreaker.ignored
    default:
      return CircuitBreaker.ignored
  }
}
const failure = CircuitBreaker.failure()

type Store = CircuitBreaker.CircuitBreakerStore["Service"]

/** The store, which records a transition before the call continues. The breaker's own stream would be late. */
const reportingTransitions = (
  store: Store,
  name: string,
  recordCircuit: (circuit: UpstreamUsage["circuit"]) => Effect.Effect<void>
): Store => {
  const record = Effect.flatMap(store.state(name), (state) => recordCircuit(nameOf(state)))
  return {
    state: store.state,
    admit: (key) => Effect.tap(store.admit(key), record),
    record: (call) => Effect.tap(store.record(call), record)
  }
}

const nameOf = (state: CircuitBreaker.State): UpstreamUsage["circuit"] => {
  switch (state._tag) {
    case "Closed":
      return "closed"
    case "Open":
      return "open"
    case "HalfOpen":
      // Open between an inconclusive probe and the next one.
      return state.probing ? "probing" : "open"
  }
}
