import { type Clock, Duration, Effect, Exit } from "effect"

/** Calls `onTimeout` once, after `millis` of the clock's time. Returns a function that cancels it. */
export const schedule = (clock: Clock.Clock, millis: number, onTimeout: () => void): (() => void) => {
  const sleeping = Effect.runFork(clock.sleep(Duration.millis(millis)))
  sleeping.addObserver((exit) => {
    if (Exit.isSuccess(exit)) onTimeout()
  })
  return () => sleeping.interruptUnsafe()
}
