import { Clock, Effect } from "effect"

/** Reads the fiber's clock, as a function that needs no effect: a paid call reads the time at most of its steps. */
export const currentMillis = Effect.withFiberSucceed((fiber) => {
  const clock = fiber.getRef(Clock.Clock)
  return () => clock.currentTimeMillisUnsafe()
})
