import { Clock, Effect } from "effect"
import { Identifiers } from "../Identifiers.ts"

/** The clock and the maker of ids, looked up at once: every paid call asks for both. */
export const timeAndChance = Effect.withFiberSucceed((fiber) => {
  const clock = fiber.getRef(Clock.Clock)
  return { nowMillis: () => clock.currentTimeMillisUnsafe(), identifiers: fiber.getRef(Identifiers) }
})
