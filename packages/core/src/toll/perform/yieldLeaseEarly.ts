import { Effect } from "effect"
import type { Charges } from "../../ports/Charges.ts"
import { causeName } from "../../runtime/causeName.ts"
import { report } from "../../runtime/events.ts"
import type { ChargeLease } from "../attempt/HeldCharge.ts"

/**
 * Ends the lease of a charge after a failure, so that the next process need not wait for it. Never fails: a store that
 * is down is reported as `storage_failed`, and the lease expires by itself.
 */
export const yieldLeaseEarly = (
  charges: Pick<Charges["Service"], "yieldLease">,
  { key, owner }: Pick<ChargeLease, "key" | "owner">
): Effect.Effect<void> =>
  Effect.catchTag(charges.yieldLease(key, owner, 0), "StoreError", ({ cause, operation }) =>
    report("Warn", "storage_failed", "The lease of a charge could not be ended early; it expires by itself", {
      chargeKey: key,
      operation,
      error: causeName(cause)
    })
  )
