import { Clock, Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Charge, Charges } from "../ports/Charges.ts"

/** A look at the store that took this long is taken again, so often in all. */
const longLookMillis = 250
const maxLooks = 3

/**
 * Looks a key up before somebody is told that nothing was charged. What a slow store answers, or a machine that was
 * suspended meanwhile, may be past: a copy of the payment may buy by then.
 */
export const lookAnew = Effect.fnUntraced(function* (
  charges: Charges["Service"],
  key: string
): Effect.fn.Return<Charge | undefined, StoreError> {
  for (let looks = 1; ; looks++) {
    const askedMillis = yield* Clock.currentTimeMillis
    const charge = yield* charges.find(key)
    const tookMillis = (yield* Clock.currentTimeMillis) - askedMillis
    if (tookMillis < longLookMillis || looks === maxLooks) return charge
  }
})
