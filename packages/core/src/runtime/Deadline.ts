import { Cause, Clock, type Context, Data, Effect, Exit, Fiber } from "effect"
import { MalformedResponse } from "./MalformedResponse.ts"
import { schedule } from "./schedule.ts"
import { awaited } from "./awaited.ts"

/** There was no response in time. Whether the upstream did anything is unknown. */
export class DeadlineExceeded extends Data.TaggedError("DeadlineExceeded")<{
  readonly message: string
  readonly timeoutMillis: number
}> {}

export const deadlineExceeded = (timeoutMillis: number): DeadlineExceeded =>
  new DeadlineExceeded({ message: `no response within ${timeoutMillis} ms`, timeoutMillis })

/** Passed to every port function; `signal` aborts at the deadline. */
export interface CallContext {
  readonly signal: AbortSignal
}

/**
 * Awaits what resumes a fiber up to a deadline. `Effect.timeout` would run two more fibers, which costs a paid call with
 * its three deadlines a tenth of a millisecond.
 */
export const callbackWithin = <A, E, E2>(timed: {
  readonly timeoutMillis: number
  readonly onTimeout: () => E2
  /** Starts the call; returns what cancels it, at the deadline or when the caller is interrupted. */
  readonly start: (resume: (result: Effect.Effect<A, E>) => void) => () => void
}): Effect.Effect<A, E | E2> =>
  Effect.callback<A, E | E2>((resume) => {
    // Registered synchronously by the fiber that waits.
    const clock = Fiber.getCurrent()!.getRef(Clock.Clock)
    let cancel = (): void => undefined
    const stop = schedule(clock, timed.timeoutMillis, () => {
      resume(Effect.suspend(() => Effect.fail(timed.onTimeout())))
      cancel()
    })
    cancel = timed.start((result) => {
      stop()
      resume(result)
    })
    return Effect.sync(() => {
      stop()
      cancel()
    })
  })

/**
 * How an effect ended, up to a deadline. It is interrupted then, and its end isn't waited for: it may be uninterruptible.
 * It has a fiber of its own, which tells its interruption by itself from one of the caller.
 */
export const exitWithin = <A, E, R, E2>(
  timed: { readonly timeoutMillis: number; readonly onTimeout: () => E2 },
  effect: Effect.Effect<A, E, R>
): Effect.Effect<Exit.Exit<A, E>, E2, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    callbackWithin<Exit.Exit<A, E>, never, E2>({
      ...timed,
      start: (resume) => {
        const running = Effect.runForkWith(context)(effect)
        running.addObserver((exit) => resume(Effect.succeed(exit)))
        return () => running.interruptUnsafe()
      }
    })
  )

/** The result of a call up to a deadline, if it has the shape that `is` demands. Fails with what was wrong. */
export const resultWithin = <A>(
  timeoutMillis: number,
  is: (result: unknown) => boolean,
  call: () => Effect.Effect<A, unknown>
): Effect.Effect<A, unknown> =>
  Effect.flatMap(
    exitWithin(
      { timeoutMillis, onTimeout: () => deadlineExceeded(timeoutMillis) },
      Effect.flatMap(Effect.suspend(call), awaited)
    ),
    (exit): Effect.Effect<A, unknown> => {
      if (Exit.isFailure(exit)) return Effect.fail(Cause.squash(exit.cause))
      return is(exit.value)
        ? Effect.succeed(exit.value as A)
        : Effect.fail(new MalformedResponse({ message: "a result of another shape" }))
    }
  )

/** Awaits a promise up to a deadline; fails with the error of `catch` or `onTimeout`. */
export const tryWithTimeout = <A, E, E2>(timed: {
  readonly timeoutMillis: number
  readonly call: (context: CallContext) => PromiseLike<A>
  readonly catch: (cause: unknown) => E
  readonly onTimeout: () => E2
}): Effect.Effect<A, E | E2> =>
  callbackWithin<A, E, E2>({
    timeoutMillis: timed.timeoutMillis,
    onTimeout: timed.onTimeout,
    start: (resume) => {
      const controller = new AbortController()
      const call = async () => timed.call({ signal: controller.signal })
      call().then(
        (value) => resume(Effect.succeed(value)),
        (cause: unknown) => resume(Effect.suspend(() => Effect.fail(timed.catch(cause))))
      )
      return () => controller.abort()
    }
  })
