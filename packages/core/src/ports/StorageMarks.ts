import { Context, type Effect } from "effect"
import type { ConfigurationError, StoreError } from "../domain/Errors.ts"

/** What a storage was used with, by name: the digests of the host's keys, its address and wallets. A mark never changes. */
export interface Marks {
  /** All marks. */
  readonly all: Effect.Effect<ReadonlyMap<string, string>, StoreError>
  /** Writes a mark, unless one of this name exists. */
  readonly add: (name: string, value: string) => Effect.Effect<void, StoreError>
}

/** Whether what a till stores outlives its process: not in `memory()`, nor in an SQLite database in memory. */
export const StorageIsKept: Context.Reference<boolean> = Context.Reference<boolean>(
  "@till402/core/StorageIsKept",
  { defaultValue: () => true }
)

/** Whether a storage is opened for reading, or by operators beside the till: then its schema is never migrated. */
export const StorageIsReadOnly: Context.Reference<boolean> = Context.Reference<boolean>(
  "@till402/core/StorageIsReadOnly",
  { defaultValue: () => false }
)

/**
 * The marks of the storage that a till is on. A storage that outlives the process provides them, beside the stores.
 * `undefined`, the default: it keeps none, and nothing is compared.
 */
export const StorageMarks: Context.Reference<Marks | undefined> = Context.Reference<Marks | undefined>(
  "@till402/core/StorageMarks",
  { defaultValue: () => undefined }
)

/**
 * Rehearses a sale on the storage that a till is on, with the kinds of `KeyedRecords` that its routes store, and takes it
 * back. `undefined`, the default: nothing is rehearsed.
 */
export const StorageRehearsal: Context.Reference<Rehearse | undefined> = Context.Reference<
  Rehearse | undefined
>("@till402/core/StorageRehearsal", { defaultValue: () => undefined })

type Rehearse = (kinds: ReadonlySet<string>) => Effect.Effect<void, ConfigurationError | StoreError>
