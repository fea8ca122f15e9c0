import { Clock, Effect } from "effect"
import { Identifiers } from "./Identifiers.ts"

/** Looks up the clock and the source of ids together: every paid call needs both. */
export const clockAndIds = Effect.withFiberSucceed((fiber) => {
  const clock = fiber.getRef(Clock.Clock)
  return { nowMillis: () => clock.currentTimeMillisUnsafe(), identifiers: fiber.getRef(Identifiers) }
})
