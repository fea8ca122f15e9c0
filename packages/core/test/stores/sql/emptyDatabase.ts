import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Prepares the deletion of every record of a PostgreSQL database: returns the effect that empties it. Runs on a client
 * with one connection, whose triggers it disables, so that they don't prevent the deletion.
 */
export const emptying = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE tablename LIKE 'till\_%' AND tablename <> 'till_migrations'`
  yield* sql`SET session_replication_role = replica`
  // One round trip, and faster than truncating tables with a few rows.
  const deletions = tables.map(({ name }) => `d_${name} AS (DELETE FROM ${name})`).join(", ")
  const statement = `WITH ${deletions} SELECT 1`
  return Effect.asVoid(sql.unsafe(statement))
})
