import { Effect, Semaphore } from "effect"
import { Overloaded, type UpstreamFault } from "./UpstreamFault.ts"

/** Limits concurrent and waiting calls. A call waits no longer than its deadline. */
export class Bulkhead {
  private readonly name: string
  private readonly semaphore: Semaphore.Semaphore
  private readonly capacity: number
  private inside = 0

  constructor(name: string, maxConcurrent: number, maxWaiting: number) {
    this.name = name
    this.semaphore = Semaphore.makeUnsafe(maxConcurrent)
    this.capacity = maxConcurrent + maxWaiting
  }

  /** Runs `call` within `maxWaitMillis`, or fails with `Overloaded`. A started call has its own deadline. */
  enter<A>(maxWaitMillis: number, call: Effect.Effect<A, UpstreamFault>): Effect.Effect<A, UpstreamFault> {
    return Effect.suspend(() => {
      if (this.inside >= this.capacity) return Effect.fail(new Overloaded({ upstream: this.name }))
      let isRunning = false
      const run = Effect.suspend(() => {
        isRunning = true
        return call
      })
      const tooLate = Effect.suspend(() =>
        isRunning ? Effect.never : Effect.fail(new Overloaded({ upstream: this.name }))
      )
      return Effect.acquireUseRelease(
        Effect.sync(() => {
          this.inside += 1
        }),
        () =>
          Effect.raceFirst(
            this.semaphore.withPermit(run),
            Effect.andThen(Effect.sleep(maxWaitMillis), tooLate)
          ),
        () =>
          Effect.sync(() => {
            this.inside -= 1
          })
      )
    })
  }
}
