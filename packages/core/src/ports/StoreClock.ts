import { Context, type Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"

/**
 * Time that a charge's lease leaves for all store calls under it, and for clocks of processes that differ;
 * milliseconds. It covers several calls of the default timeout.
 */
export const storeMarginMillis = 30_000

/** The clock of a database that several machines share. */
export interface DatabaseClock {
  /** Reads the time, in milliseconds since the epoch. */
  readonly nowMillis: Effect.Effect<number, StoreError>
}

/**
 * The clock by which a till on a storage measures leases. A storage that several machines share provides its
 * database's, beside the stores. `undefined`, the default: the clock of the process.
 *
 * @example
 * import { StoreClock } from "@till402/core/effect"
 * import { Effect, Layer } from "effect"
 *
 * const storeClock = Layer.succeed(StoreClock, { nowMillis: Effect.succeed(Date.now()) })
 */
export const StoreClock: Context.Reference<DatabaseClock | undefined> = Context.Reference<
  DatabaseClock | undefined
>("@till402/core/StoreClock", { defaultValue: () => undefined })
