import { copyFileSync } from "node:fs"
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
import { keepThreads } from "../sqlite/keptThreads.ts"
import { temporaryFiles } from "./folder.ts"

/** A database that the stores open by its name. */
export interface Engine {
  readonly dialect: "sqlite" | "postgres"
  readonly create: () => Promise<string>
  /** Copies a database that nobody has open. */
  readonly copy: (name: string) => Promise<string>
  /** Runs statements beside the stores. */
  readonly run: (name: string, statements: ReadonlyArray<string>) => Promise<void>
  readonly open: <A, E>(name: string, use: Effect.Effect<A, E, Stores>) => Promise<A>
  readonly withClient: <A, E>(name: string, use: Effect.Effect<A, E, SqlClient.SqlClient>) => Promise<A>
}

const sqliteEngine = (nextFile: () => string): Engine => ({
  dialect: "sqlite",
  create: async () => nextFile(),
  copy: async (filename) => {
    const copy = nextFile()
    copyFileSync(filename, copy)
    return copy
  },
  run: async (filename, statements) => {
    const file = new DatabaseSync(filename)
    for (const text of statements) file.exec(text)
    file.close()
  },
  open: (filename, use) => Effect.runPromise(Effect.provide(use, sqlite({ filename }))),
  withClient: (filename, use) => Effect.runPromise(Effect.provide(use, SqliteClient.layer({ filename })))
})

const onPostgres: Engine["withClient"] = (url, use) =>
  Effect.runPromise(Effect.provide(use, PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))

const postgresEngine = (create: (template?: string) => Promise<string>): Engine => ({
  dialect: "postgres",
  create,
  copy: create,
  run: (url, statements) =>
    onPostgres(
      url,
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true })
      )
    ),
  open: (url, use) => Effect.runPromise(Effect.provide(use, postgres({ url }))),
  withClient: onPostgres
})

/**
 * Both engines, for the tests of one file: it registers the hooks that start and clean them up. SQLite is in memory if
 * no test opens a database twice.
 */
export const openEngines = ({ isOpenedOnce = false } = {}) => {
  keepThreads()
  let cluster: Omit<Postgres, "stop">
  beforeAll(async () => {
    cluster = await sharedPostgres()
  })
  const onSqlite = sqliteEngine(isOpenedOnce ? () => ":memory:" : temporaryFiles())
  const onServer = postgresEngine((template) => cluster.createDatabase(template))
  return {
    postgresEngine: onServer,
    engines: [
      ["sqlite", onSqlite],
      ["postgres", onServer]
    ] as const
  }
}
