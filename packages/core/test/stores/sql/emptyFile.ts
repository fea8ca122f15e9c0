import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Tables that describe the database itself. */
const kept = ["till_migrations", "till_marks"]

const tables = `SELECT name FROM pragma_table_list
  WHERE type = 'table' AND name LIKE 'till\\_%' ESCAPE '\\' AND name NOT IN ('${kept.join("', '")}')`

/** The ledger's own triggers, which refuse a deletion. */
const guards = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%RAISE(%'"

type Row = Readonly<Record<string, unknown>>

const deletions = (guardRows: ReadonlyArray<Row>, tableRows: ReadonlyArray<Row>): ReadonlyArray<string> => [
  ...guardRows.map(({ name }) => `DROP TRIGGER ${String(name)}`),
  ...tableRows.map(({ name }) => `DELETE FROM ${String(name)}`),
  ...guardRows.map(({ sql }) => String(sql))
]

/**
 * Prepares the deletion of every record of a SQLite file that a store has open. It takes a millisecond, a new file with
 * its thread a hundred.
 */
export const openEmptying = (filename: string) => {
  const database = new DatabaseSync(filename, { timeout: 5_000 })
  // What a test finds empty need not outlive the machine.
  database.exec("PRAGMA synchronous = OFF")
  const statements = deletions(database.prepare(guards).all(), database.prepare(tables).all())
  const text = ["BEGIN IMMEDIATE", ...statements, "COMMIT"].join(";\n")
  return { empty: () => database.exec(text), close: () => database.close() }
}

/** The same through the client that holds a database in memory. A new one runs all migrations. */
export const emptyMemory = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = deletions(yield* sql.unsafe<Row>(guards), yield* sql.unsafe<Row>(tables))
  for (const statement of statements) yield* sql.unsafe(statement)
})
