import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { StoreError } from "../../domain/Errors.ts"
import { storageRisk } from "../../ports/StorageMarks.ts"

interface Durability {
  /** The setting that lets PostgreSQL confirm what isn't on its disk; `null` if none does. */
  readonly setting: string | null
  /** The till's tables that a crash empties. */
  readonly unlogged: string | null
}

/** What a crash of PostgreSQL would lose, although it had confirmed it. */
export const crashRisks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<Durability>`
    SELECT
      CASE 'off' WHEN current_setting('synchronous_commit') THEN 'synchronous_commit'
        WHEN current_setting('fsync') THEN 'fsync' END AS setting,
      (SELECT string_agg(CAST(c.relname AS TEXT), ', ' ORDER BY c.relname) FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relname LIKE 'till\\_%' AND c.relkind = 'r'
          AND c.relpersistence = 'u') AS unlogged`
  const { setting, unlogged } = found!
  return [
    ...(setting === null
      ? []
      : [
          storageRisk(
            `PostgreSQL has ${setting} = off: if it crashes, it forgets payments that have settled`,
            `Set ${setting} = on for the till's role or database`
          )
        ]),
    ...(unlogged === null
      ? []
      : [
          storageRisk(
            `${unlogged} are unlogged tables: if PostgreSQL crashes, they are empty`,
            "ALTER TABLE … SET LOGGED for each"
          )
        ])
  ]
}).pipe(Effect.mapError((cause) => new StoreError({ operation: "reading settings", cause })))
