import { Effect, Scope } from "effect"
import * as SqliteClient from "../../../src/stores/sqlite/SqliteClient.ts"

/*
 * Opens a database, waits for its writes and for nothing else, and never closes it: node openDatabase.ts <file>
 */
const scope = Scope.makeUnsafe()
const sql = await Effect.runPromise(
  Scope.provide(SqliteClient.connect({ filename: process.argv[2]! }), scope)
)
await Effect.runPromise(sql`CREATE TABLE things (id INTEGER PRIMARY KEY)`)
await Effect.runPromise(Effect.flip(sql.unsafe("SELECT ?", [Symbol("no thread can read it")])))
for (let id = 1; id <= 500; id++) await Effect.runPromise(sql`INSERT INTO things (id) VALUES (${id})`)
const [row] = await Effect.runPromise(
  sql<{ readonly written: number }>`SELECT count(*) AS written FROM things`
)
console.log(`written ${row!.written}`)
