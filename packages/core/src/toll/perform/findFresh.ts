import { Clock, Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { Charge, Charges } from "../../ports/Charges.ts"

/** A lookup that took longer is repeated. */
const slowLookupMillis = 250
const maxLookups = 3

/**
 * Looks a key up before a caller learns that nothing was charged. The result of a slow store, or of a machine that was
 * suspended, may be out of date: a copy of the payment may have bought something since.
 */
export const findFresh = Effect.fnUntraced(function* (
  charges: Charges["Service"],
  key: string
): Effect.fn.Return<Charge | undefined, StoreError> {
  for (let lookups = 1; ; lookups++) {
    const startedMillis = yield* Clock.currentTimeMillis
    const charge = yield* charges.find(key)
    const tookMillis = (yield* Clock.currentTimeMillis) - startedMillis
    if (tookMillis < slowLookupMillis || lookups === maxLookups) return charge
  }
})
