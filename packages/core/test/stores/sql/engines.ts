import { DatabaseSync } from "node:sqlite"
import { PgClient } from "@effect/sql-pg"
import { type Postgres, sharedPostgres } from "@till402/test-postgres"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { beforeAll } from "vitest"
import type { Stores } from "../../../src/stores/Stores.ts"
import { postgres } from "../../../src/postgres.ts"
import * as SqliteClient from "../../../src/stores/sqlite/SqliteClient.ts"
import { sqlite } from "../../../src/sqlite.ts"
import { temporaryFiles } from "./folder.ts"

let cluster: Omit<Postgres, "stop">
beforeAll(async () => {
  cluster = await sharedPostgres()
})
const nextFile = temporaryFiles()

/** A database that the stores open by its name. */
export interface Engine {
  readonly dialect: "sqlite" | "postgres"
  readonly create: () => Promise<string>
  /** Runs statements beside the stores. */
  readonly run: (name: string, statements: ReadonlyArray<string>) => Promise<void>
  readonly open: <A, E>(name: string, use: Effect.Effect<A, E, Stores>) => Promise<A>
  readonly withClient: <A, E>(name: string, use: Effect.Effect<A, E, SqlClient.SqlClient>) => Promise<A>
}

export const sqliteEngine: Engine = {
  dialect: "sqlite",
  create: async () => nextFile(),
  run: async (filename, statements) => {
    const file = new DatabaseSync(filename)
    for (const text of statements) file.exec(text)
    file.close()
  },
  open: (filename, use) => Effect.runPromise(Effect.provide(use, sqlite({ filename }))),
  withClient: (filename, use) => Effect.runPromise(Effect.provide(use, SqliteClient.layer({ filename })))
}

const onPostgres: Engine["withClient"] = (url, use) =>
  Effect.runPromise(Effect.provide(use, PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))

export const postgresEngine: Engine = {
  dialect: "postgres",
  create: () => cluster.createDatabase(),
  run: (url, statements) =>
    onPostgres(
      url,
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true })
      )
    ),
  open: (url, use) => Effect.runPromise(Effect.provide(use, postgres({ url }))),
  withClient: onPostgres
}

export const engines = [sqliteEngine, postgresEngine].map((engine) => [engine.dialect, engine] as const)
