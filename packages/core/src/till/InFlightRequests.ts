import { Deferred, Effect } from "effect"

/** Counts requests in flight, and waits for their end. */
export class InFlightRequests {
  private count = 0
  private empty: Deferred.Deferred<void> | undefined

  enter(): void {
    this.count++
  }

  private leave(): void {
    this.count--
    if (this.count === 0 && this.empty !== undefined) Deferred.doneUnsafe(this.empty, Effect.void)
  }

  /** Counts a request until its handling ends. The handling must not be interruptible. */
  leftAfter<A, E>(handling: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.matchCauseEffect(handling, {
      onSuccess: (handled) => {
        this.leave()
        return Effect.succeed(handled)
      },
      onFailure: (cause) => {
        this.leave()
        return Effect.failCause(cause)
      }
    })
  }

  /** Waits until no request is in flight, and `millis` at most. */
  drain(millis: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.count === 0) return Effect.void
      this.empty ??= Deferred.makeUnsafe<void>()
      return Effect.asVoid(Effect.timeoutOption(Deferred.await(this.empty), millis))
    })
  }
}
