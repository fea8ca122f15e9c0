import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { onTestFinished } from "vitest"
import type { Stores } from "../../../src/stores/Stores.ts"
import * as SqliteClient from "../../../src/stores/sqlite/SqliteClient.ts"
import { layerSql } from "../../../src/stores/sql/stores.ts"

/**
 * A database for several tills, one after the other or at once, which take it for a file. It is in memory: a file costs a
 * thread for each till, and commits wait for the disk. The contract of the stores shows what a file promises processes.
 */
export const sharedDatabase = () => {
  const client = Layer.effect(SqlClient.SqlClient, SqliteClient.connect({ filename: ":memory:" }))
  const stores = ManagedRuntime.make(Layer.provideMerge(layerSql, client))
  onTestFinished(() => stores.dispose())
  return {
    storage: (): Layer.Layer<Stores> => Layer.effectContext(Effect.promise(() => stores.context())),
    /** Runs a statement beside the stores. */
    run: (statement: string): Promise<ReadonlyArray<object>> =>
      stores.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<object>(statement)))
  }
}

/** The stores of such a database. */
export const keptInMemory = async (): Promise<Layer.Layer<Stores>> => sharedDatabase().storage()
