import { Cause, Duration, Effect, type Exit, Option, Schedule, Scope } from "effect"
import { CircuitBreaker } from "effect/persistence"
import type { UpstreamUsage } from "./Settings.ts"
import { CircuitOpen, type UpstreamFault } from "./UpstreamFault.ts"
import type { Ledger } from "./Usage.ts"

/*
 * Effect's circuit breaker, over its store in memory, for one upstream.
 */

export interface BreakerSettings {
  /** Failures in a row that open the circuit. */
  readonly failures: number
  /** How long it stays open at first; doubles with each opening in a row. */
  readonly openMillis: number
  /** The longest it stays open; at least `openMillis`. */
  readonly maxOpenMillis: number
}

/** The circuit of one upstream. */
export interface Breaker {
  /**
   * Runs a call, which with its repeats is one outcome, unless the circuit is open. The call keeps its own
   * deadline: one that is interrupted from outside says nothing about the upstream.
   */
  readonly guard: <A>(call: Effect.Effect<A, UpstreamFault>) => Effect.Effect<A, UpstreamFault>
}

/** A breaker that tells `ledger` of each move of its circuit. */
export const makeBreaker = (
  name: string,
  ledger: Ledger,
  settings: BreakerSettings
): Effect.Effect<Breaker> =>
  Effect.gen(function* () {
    const store = yield* CircuitBreaker.CircuitBreakerStore
    const breaker = yield* CircuitBreaker.make({
      tripPolicy: CircuitBreaker.consecutive(settings.failures),
      openDuration: openTimes(settings),
      onStoreError: "fail"
    }).pipe(
      Effect.provideService(CircuitBreaker.CircuitBreakerStore, told(store, name, ledger)),
      // Its end only ends the stream of transitions, which nobody reads.
      Effect.provideService(Scope.Scope, yield* Scope.make())
    )
    const circuit = { key: name, classify: outcomeOf }
    const refusal = ({ reason }: CircuitBreaker.CircuitBreakerError): Effect.Effect<never, CircuitOpen> => {
      switch (reason._tag) {
        case "CircuitOpen":
          return new CircuitOpen({ upstream: name, retryAfterMillis: Duration.toMillis(reason.retryAfter) })
        case "CircuitHalfOpen":
          // What becomes of the probe is not known yet: as long as after a first opening.
          return new CircuitOpen({ upstream: name, retryAfterMillis: settings.openMillis })
        case "CircuitBreakerStoreError":
          // The store in memory has no way to fail.
          return Effect.die(reason)
      }
    }
    return {
      guard: (call) => Effect.catchTag(breaker.execute(call, circuit), "CircuitBreakerError", refusal)
    } satisfies Breaker
  }).pipe(
    // One circuit for the life of its upstream: nothing to sweep, and quiet hours don't close it.
    Effect.provide(CircuitBreaker.layerStoreMemory({ idleTimeToLive: Duration.infinity }))
  )

/**
 * Doubling times up to the maximum. It ends there, and the last one stays: each opening replays the
 * schedule from its start, which must not take longer the longer an upstream is away.
 */
const openTimes = ({ maxOpenMillis, openMillis }: BreakerSettings) =>
  Schedule.upTo(Schedule.min([Schedule.exponential(openMillis), Schedule.spaced(maxOpenMillis)]), {
    times: 1 + Math.ceil(Math.log2(maxOpenMillis / openMillis))
  })

/** What a call says about the upstream's health; a 4xx, an odd document or a refusal of our own says nothing. */
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

/** The store, telling of a move before the call goes on. The breaker's own stream would tell it some time later. */
const told = (store: Store, name: string, ledger: Ledger): Store => {
  const tell = Effect.flatMap(store.state(name), (state) => ledger.circuitIs(nameOf(state)))
  return {
    state: store.state,
    admit: (key) => Effect.tap(store.admit(key), tell),
    record: (call) => Effect.tap(store.record(call), tell)
  }
}

const nameOf = (state: CircuitBreaker.State): UpstreamUsage["circuit"] => {
  switch (state._tag) {
    case "Closed":
      return "closed"
    case "Open":
      return "open"
    case "HalfOpen":
      // After a probe that taught nothing, until the next one.
      return state.probing ? "probing" : "open"
  }
}
