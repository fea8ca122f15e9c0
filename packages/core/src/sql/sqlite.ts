import { dirname } from "node:path"
import { existsSync } from "node:fs"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ConfigurationError, type StoreError } from "../domain/Errors.ts"
import type { Stores } from "../ports/Stores.ts"
import * as SqliteClient from "./SqliteClient.ts"
import { layerSql } from "./stores.ts"

/**
 * Storage in one SQLite file, on Node's own SQLite: the embedded default. Several processes on one
 * machine may share it. `:memory:` keeps nothing.
 *
 * `till.ready` rejects with a readable error where the file can't be opened or migrated.
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
    Effect.mapError(
      SqliteClient.connect({ filename }),
      (error) =>
        new ConfigurationError({
          message: `storage: ${filename} can't be opened: ${reasonOf(filename, error)}`
        })
    )
  )
  return layerSql.pipe(Layer.provide(opened))
}

const reasonOf = (filename: string, error: { readonly message: string }): string =>
  existsSync(dirname(filename)) ? error.message : `the folder ${dirname(filename)} does not exist`
