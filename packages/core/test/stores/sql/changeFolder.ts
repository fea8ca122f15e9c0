import { Effect, Scope } from "effect"
import * as SqliteClient from "../../../src/stores/sqlite/SqliteClient.ts"

/*
 * Opens till.sqlite, and goes to the folder above meanwhile: node changeFolder.ts
 */
const opening = SqliteClient.connect({ filename: "till.sqlite" })
const opened = Effect.runPromise(Scope.provide(opening, Scope.makeUnsafe()))
process.chdir("..")
const sql = await opened
await Effect.runPromise(sql`CREATE TABLE things (id INTEGER PRIMARY KEY)`)
console.log(await Effect.runPromise(sql`SELECT file FROM pragma_database_list`.values))
