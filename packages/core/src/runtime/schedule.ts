import { Clock, Duration, Effect, Exit } from "effect"

/*
 * Calls back after a time of the fiber's clock. A fiber that sleeps would cost a paid call, with its three deadlines, a
 * twentieth of its own time: it is used only for clocks that aren't in real time.
 */

/** The default clock: real time, for which the platform's own timer is the cheapest. */
const realTime: Clock.Clock = Effect.runSync(Clock.clockWith(Effect.succeed))

/** Other clocks that sleep in real time. */
const alsoRealTime = new WeakSet<Clock.Clock>()

/** Declares that a clock sleeps as another one does, and so may use its timers. */
export const sleepsAs = (clock: Clock.Clock, other: Clock.Clock): void => {
  if (other === realTime || alsoRealTime.has(other)) alsoRealTime.add(clock)
}

/** Calls `onTimeout` once, after `millis` of the clock's time. Returns a function that cancels it. */
export const schedule = (clock: Clock.Clock, millis: number, onTimeout: () => void): (() => void) => {
  if (clock === realTime || alsoRealTime.has(clock)) {
    const timer = setTimeout(onTimeout, millis)
    return () => clearTimeout(timer)
  }
  const sleeping = Effect.runFork(clock.sleep(Duration.millis(millis)))
  sleeping.addObserver((exit) => {
    if (Exit.isSuccess(exit)) onTimeout()
  })
  return () => sleeping.interruptUnsafe()
}
