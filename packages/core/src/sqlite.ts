import { Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ConfigurationError, StoreError } from "./domain/Errors.ts"
import type { Stores } from "./stores/Stores.ts"
import * as SqliteClient from "./stores/sqlite/SqliteClient.ts"
import { inMemory, StorageRisks } from "./ports/StorageMarks.ts"
import * as SqliteDatabase from "./stores/sqlite/SqliteDatabase.ts"
import { fileRisks } from "./stores/sqlite/fileRisks.ts"
import { watchFile } from "./stores/sqlite/fileWatch.ts"
import { pathFault } from "./stores/sqlite/pathFault.ts"
import { unknownOptions } from "./stores/unknownOptions.ts"
import { layerSql } from "./stores/sql/stores.ts"

/** For tables beside those of the till, in the same file or another one. */
export { connect as sqliteClient } from "./stores/sqlite/SqliteClient.ts"

/**
 * Stores everything in one SQLite file, with Node's own SQLite. Creates the file, not its folder. Several processes on
 * one machine may share it. `:memory:` persists nothing.
 *
 * `till.ready` rejects if the file can't be opened or migrated: with `ConfigurationError` if the name is wrong or the
 * schema is not the one that this version needs, with `StoreError` if the database can't be used.
 *
 * @example
 * const till = Till.make({ ...options, storage: sqlite({ filename: "till.sqlite" }) })
 */
export const sqlite = (options: {
  /** Path of the file, relative to the working directory. */
  readonly filename: string
}): Layer.Layer<Stores, ConfigurationError | StoreError> => {
  // Hosts without type checks may pass the name itself, or another option.
  const filename: unknown = options?.filename
  const fault = faultOf(options)
  const opened = Layer.effect(
    SqlClient.SqlClient,
    fault !== undefined || typeof filename !== "string"
      ? Effect.fail(new ConfigurationError({ message: `storage: ${fault}` }))
      : SqliteClient.connect({ filename }).pipe(
          Effect.mapError((error) => openFailure(filename, error)),
          Effect.tap(() => (isPath(filename) ? watchFile(filename) : Effect.void))
        )
  )
  const risks = Layer.effect(
    StorageRisks,
    // Once the file is there.
    Effect.andThen(SqlClient.SqlClient, risksOf(String(filename)))
  )
  // Layers are shared by reference. Fresh inside, so that two files never share stores; one value outside, so that a
  // file is opened once, wherever its storage is provided.
  return Layer.effectContext(
    Layer.build(Layer.fresh(Layer.merge(layerSql, risks).pipe(Layer.provide(opened))))
  )
}

/** A URI may name what is no file. */
const isPath = (filename: string): boolean =>
  !filename.startsWith("file:") && !SqliteDatabase.isInMemory(filename)

const risksOf = (filename: string) =>
  isPath(filename) ? fileRisks(filename) : Effect.succeed(SqliteDatabase.isInMemory(filename) ? inMemory : [])

/** Why a file can't be opened with these options; `undefined` if they are right. */
const faultOf = (options: { readonly filename: unknown }): string | undefined => {
  const filename = options?.filename
  if (typeof filename !== "string") return 'sqlite takes { filename }: sqlite({ filename: "till.sqlite" })'
  if (filename.trim() === "") return "filename must not be empty"
  if (isAddress(filename))
    return "filename is an address, and sqlite takes the path of a file. Give the address of a PostgreSQL database to postgres({ url })"
  if (isUnlocked(filename))
    return `${filename} turns SQLite's locks off: two processes would break the database. Leave its parameters out`
  return unknownOptions("sqlite", options, ["filename"])[0]
}

/** It may have a password, which no message shows. */
const isAddress = (filename: string): boolean => /^(?!file:)[a-z][a-z0-9+.-]+:\/\//i.test(filename.trim())

/** A URI may say that no other process uses the file. */
const isUnlocked = (filename: string): boolean =>
  /^file:.*[?&](?:(?:nolock|immutable)=(?!0|no|off|false)|vfs=unix-none)/.test(filename)

/** The log of one database isn't that of another. */
const staleLog =
  ". If a backup was copied over it: stop every process, delete its -wal and -shm, and copy the backup again"

const openFailure = (filename: string, error: SqlError.SqlError): ConfigurationError | StoreError =>
  error.reason._tag === "LockTimeoutError"
    ? new StoreError({ operation: `opening ${filename}`, cause: error })
    : new ConfigurationError({
        message: `storage: ${filename} can't be opened: ${(filename.startsWith("file:") ? undefined : pathFault(filename)) ?? error.message}${/malformed/.test(error.message) ? staleLog : ""}`
      })
