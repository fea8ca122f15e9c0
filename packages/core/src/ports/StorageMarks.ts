import { Context, type Effect } from "effect"
import type { ConfigurationError, StoreError } from "../domain/Errors.ts"
import type { Risk } from "../runtime/secondsRisk.ts"

/** What a storage was used with, by name: the digests of the host's keys, its address and wallets. A mark never changes. */
export interface Marks {
  /** All marks. */
  readonly all: Effect.Effect<ReadonlyMap<string, string>, StoreError>
  /** Writes a mark, unless one of this name exists. */
  readonly add: (name: string, value: string) => Effect.Effect<void, StoreError>
}

/** The ways in which stored records can be lost or read by strangers, as far as the storage knows them. */
export const StorageRisks: Context.Reference<ReadonlyArray<Risk>> = Context.Reference<ReadonlyArray<Risk>>(
  "@till402/core/StorageRisks",
  { defaultValue: () => [] }
)

export const storageRisk = (problem: string, cure: string): Risk => ({ setting: "storage", problem, cure })

/** Of `memory()`, and of an SQLite database in memory. */
export const inMemory: ReadonlyArray<Risk> = [
  storageRisk("Charges are in memory: a restart loses what was paid for", "Give a database, such as sqlite")
]

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
 * Rehearses a sale on the storage that a till is on, with the kinds of `KeyedRecords` that its routes store and on a network
 * of its, and takes it back. `undefined`, the default: nothing is rehearsed.
 */
export const StorageRehearsal: Context.Reference<Rehearse | undefined> = Context.Reference<
  Rehearse | undefined
>("@till402/core/StorageRehearsal", { defaultValue: () => undefined })

type Rehearse = (
  kinds: ReadonlySet<string>,
  network?: string
) => Effect.Effect<void, ConfigurationError | StoreError>
