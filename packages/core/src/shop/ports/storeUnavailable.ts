import { Effect } from "effect"
import { type ApiFailure, storeFailure } from "../../domain/ApiFailure.ts"
import type { StoreError } from "../../domain/Errors.ts"
import { causeName } from "../../runtime/causeName.ts"
import { report } from "../../runtime/events.ts"

/** The failure of a call whose store failed, which is reported: its details are for the operator alone. */
export const storeUnavailable = ({ cause, operation }: StoreError): Effect.Effect<never, ApiFailure> =>
  Effect.andThen(
    report("Error", "storage_failed", "The store failed", { operation, error: causeName(cause) }),
    Effect.fail(storeFailure())
  )
