import { Cause, Clock, Effect, Exit, Option } from "effect"
import { admit, type CircuitSettings, type CircuitState, closed, type Outcome, record } from "./Circuit.ts"
import { CircuitOpen, type UpstreamFault } from "./UpstreamFault.ts"
import type { Ledger } from "./Usage.ts"

/** Faults that speak of the upstream's health; a 4xx or an odd document doesn't. */
const outcomeOf = (fault: UpstreamFault): Outcome => {
  switch (fault._tag) {
    case "Unreachable":
    case "TimedOut":
      return "failure"
    case "Rejected":
      return fault.status >= 500 || fault.status === 408 ? "failure" : "neutral"
    default:
      return "neutral"
  }
}

/** The circuit of one upstream: a whole call, with its repeats, is one outcome. */
export class Breaker {
  state: CircuitState = closed
  private readonly name: string
  private readonly ledger: Ledger
  private readonly settings: CircuitSettings

  constructor(name: string, ledger: Ledger, settings: CircuitSettings) {
    this.name = name
    this.ledger = ledger
    this.settings = settings
  }

  /** Runs a call unless the circuit is open, and records what became of it. */
  guard<A>(call: Effect.Effect<A, UpstreamFault>, deadline: number): Effect.Effect<A, UpstreamFault> {
    // Uninterruptible around the call: a probe that is never recorded would keep the circuit half open.
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const admission = admit(this.state, now, this.settings)
        if (admission._tag === "Refused") {
          const { retryAfterMillis } = admission
          return Effect.fail(new CircuitOpen({ upstream: this.name, retryAfterMillis }))
        }
        this.state = admission.state
        const { generation } = admission.state
        return Effect.onExit(restore(call), (exit) =>
          Effect.flatMap(Clock.currentTimeMillis, (ended) =>
            this.record({ generation, outcome: outcomeOfExit(exit, ended >= deadline) }, ended)
          )
        )
      })
    )
  }

  private record(call: { readonly generation: number; readonly outcome: Outcome }, now: number) {
    const before = this.state
    this.state = record(before, call, now, this.settings)
    return before._tag === this.state._tag ? Effect.void : this.ledger.circuitMoved(this.state)
  }
}

const outcomeOfExit = (exit: Exit.Exit<unknown, UpstreamFault>, isPastDeadline: boolean): Outcome => {
  if (Exit.isSuccess(exit)) return "success"
  // Whoever asked went away, or the deadline cut the call short: that one is the upstream's doing.
  if (Cause.hasInterruptsOnly(exit.cause)) return isPastDeadline ? "failure" : "neutral"
  return Option.match(Cause.findErrorOption(exit.cause), {
    onNone: () => "neutral" as const,
    onSome: outcomeOf
  })
}
