import { DatabaseSync } from "node:sqlite"

/** Tables that describe the database itself. */
const kept = new Set(["till_migrations", "till_marks"])

/** Deletes every record of a SQLite file that a store has open. Takes a millisecond, a new file with its thread a hundred. */
export const emptyFile = (filename: string): void => {
  const database = new DatabaseSync(filename, { timeout: 5_000 })
  try {
    const tables = database
      .prepare("SELECT name FROM pragma_table_list WHERE type = 'table' AND name LIKE 'till\\_%' ESCAPE '\\'")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => !kept.has(name))
    // The ledger's own triggers refuse a deletion.
    const guards = database
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%RAISE(%'")
      .all()
    database.exec("BEGIN IMMEDIATE")
    for (const { name } of guards) database.exec(`DROP TRIGGER ${String(name)}`)
    for (const name of tables) database.exec(`DELETE FROM ${name}`)
    for (const { sql } of guards) database.exec(String(sql))
    database.exec("COMMIT")
  } finally {
    database.close()
  }
}
