import { statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ConfigurationError, StoreError } from "../domain/Errors.ts"
import type { Stores } from "../ports/Stores.ts"
import * as SqliteClient from "./SqliteClient.ts"
import { layerSql } from "./stores.ts"

/**
 * Storage in one SQLite file, on Node's own SQLite: the embedded default. The file is made where there
 * is none, its folder is not. Several processes on one machine may share it. `:memory:` keeps nothing.
 *
 * `till.ready` rejects with a readable error where the file can't be opened or migrated:
 * `ConfigurationError` where the name is wrong, `StoreError` where the database is in no state to serve.
 *
 * @example
 * const till = Till.make({ ...options, storage: sqlite({ filename: "till.sqlite" }) })
 */
export const sqlite = (options: {
  readonly filename: string
}): Layer.Layer<Stores, ConfigurationError | StoreError> => {
  const { filename } = options
  const opened = Layer.effect(
    SqlClient.SqlClient,
    filename.trim() === ""
      ? Effect.fail(new ConfigurationError({ message: "storage: filename must not be empty" }))
      : Effect.mapError(SqliteClient.connect({ filename }), (error) => openFailure(filename, error))
  )
  // Layers are shared by reference: fresh inside, so that two files never share stores; and one value
  // outside, so that one file is opened once however often its storage is provided.
  return Layer.effectContext(Layer.build(Layer.fresh(layerSql.pipe(Layer.provide(opened)))))
}

const openFailure = (filename: string, error: SqlError.SqlError): ConfigurationError | StoreError =>
  error.reason._tag === "LockTimeoutError"
    ? new StoreError({ operation: `opening ${filename}`, cause: error })
    : new ConfigurationError({
        message: `storage: ${filename} can't be opened: ${faultOf(filename) ?? error.message}`
      })

/** What is wrong with a path that SQLite could not open, where it can be seen. */
const faultOf = (filename: string): string | undefined => {
  const path = resolve(filename)
  const folder = statSync(dirname(path), { throwIfNoEntry: false })
  if (folder === undefined) return `the folder ${dirname(path)} does not exist`
  if (!folder.isDirectory()) return `${dirname(path)} is not a folder`
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? "it is a folder" : undefined
}
