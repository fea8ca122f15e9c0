import { Clock, Duration, Effect, Exit } from "effect"

/**
 * Asks a promise and waits for it so long at most; what `onLapse` makes is the answer after that. The
 * signal aborts past the deadline, and when the caller is interrupted.
 *
 * The same as `Effect.tryPromise` with `Effect.timeoutOrElse`, at half the price: one fiber that sleeps
 * instead of a race of two. Every paid call asks several times.
 */
export const askWithin = <A, E, E2>(options: {
  readonly millis: number
  readonly ask: (signal: AbortSignal) => PromiseLike<A>
  readonly catch: (cause: unknown) => E
  readonly onLapse: () => E2
}): Effect.Effect<A, E | E2> =>
  Clock.clockWith((clock) =>
    Effect.callback<A, E | E2>((resume) => {
      const controller = new AbortController()
      const timer = Effect.runFork(clock.sleep(Duration.millis(options.millis)))
      timer.addObserver((exit) => {
        if (!Exit.isSuccess(exit)) return
        resume(Effect.fail(options.onLapse()))
        controller.abort()
      })
      // The async function turns a throw on the spot into a rejection.
      const asking = async (): Promise<A> => options.ask(controller.signal)
      asking().then(
        (value) => {
          timer.interruptUnsafe()
          resume(Effect.succeed(value))
        },
        (cause: unknown) => {
          timer.interruptUnsafe()
          resume(Effect.fail(options.catch(cause)))
        }
      )
      return Effect.sync(() => {
        timer.interruptUnsafe()
        controller.abort()
      })
    })
  )
