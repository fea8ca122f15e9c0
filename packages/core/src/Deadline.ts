import { Clock, Duration, Effect, Exit, Fiber } from "effect"

/** The clock of who provides none: real time, for which the platform's own timer is the cheapest. */
const realTime: Clock.Clock = Effect.runSync(Clock.clockWith(Effect.succeed))

/** Calls back once after so many milliseconds of the clock's time, unless it is told to stop. */
export const schedule = (clock: Clock.Clock, millis: number, lapse: () => void): (() => void) => {
  if (clock === realTime) {
    const timer = setTimeout(lapse, millis)
    return () => clearTimeout(timer)
  }
  const sleeping = Effect.runFork(clock.sleep(Duration.millis(millis)))
  sleeping.addObserver((exit) => {
    if (Exit.isSuccess(exit)) lapse()
  })
  return () => sleeping.interruptUnsafe()
}

/** Given to who is asked. */
export interface Asking {
  /** Aborts past the deadline, and when the caller is interrupted. Made only for who looks at it. */
  readonly signal: AbortSignal
}

class LazyAsking implements Asking {
  private controller: AbortController | undefined
  private isOver = false
  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.isOver) this.controller.abort()
    return this.controller.signal
  }
  abort(): void {
    this.isOver = true
    this.controller?.abort()
  }
}

/** What becomes of a promise that was asked, as the effect that goes on with it. */
export interface Asked<A, B, E> {
  readonly millis: number
  readonly ask: (asking: Asking) => PromiseLike<A>
  readonly onAnswer: (answer: A) => Effect.Effect<B, E>
  /** Of a rejection, and of what is thrown on the spot. */
  readonly onThrow: (cause: unknown) => Effect.Effect<B, E>
  readonly onLapse: () => Effect.Effect<B, E>
}

/**
 * Asks a promise, waits for it so long at most, and goes on with what came of it.
 *
 * The same as `Effect.tryPromise` with `Effect.timeoutOrElse` and `Effect.matchEffect`, at a fifth of the
 * price: a timer instead of a race of two fibers. Every paid call asks several times.
 */
export const askAndThen = <A, B, E>(asked: Asked<A, B, E>): Effect.Effect<B, E> =>
  Effect.callback<B, E>((resume) => {
    // Registered by the fiber that waits.
    const clock = Fiber.getCurrent()!.getRef(Clock.Clock)
    const asking = new LazyAsking()
    const stop = schedule(clock, asked.millis, () => {
      resume(attempt(asked.onLapse, undefined))
      asking.abort()
    })
    const onThrow = (cause: unknown): void => {
      stop()
      resume(attempt(asked.onThrow, cause))
    }
    let answering: Promise<A>
    try {
      answering = Promise.resolve(asked.ask(asking))
    } catch (cause) {
      onThrow(cause)
      return
    }
    answering.then((answer) => {
      stop()
      resume(attempt(asked.onAnswer, answer))
    }, onThrow)
    return Effect.sync(() => {
      stop()
      asking.abort()
    })
  })

/** What goes on with what came, at once; a defect where it throws. */
const attempt = <A, B, E>(goOn: (came: A) => Effect.Effect<B, E>, came: A): Effect.Effect<B, E> => {
  try {
    return goOn(came)
  } catch (defect) {
    return Effect.die(defect)
  }
}

/** Asks a promise and waits for it so long at most; what `onLapse` makes is the failure after that. */
export const askWithin = <A, E, E2>(options: {
  readonly millis: number
  readonly ask: (asking: Asking) => PromiseLike<A>
  readonly catch: (cause: unknown) => E
  readonly onLapse: () => E2
}): Effect.Effect<A, E | E2> =>
  askAndThen<A, A, E | E2>({
    millis: options.millis,
    ask: options.ask,
    onAnswer: Effect.succeed,
    onThrow: (cause) => Effect.fail(options.catch(cause)),
    onLapse: () => Effect.fail(options.onLapse())
  })
