import { ConfigurationError } from "@till402/core"
import { Effect, Exit, Redacted, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import { type Database, once, type Row, tableNames, tables } from "./Database.ts"

const connectTimeoutMillis = 5_000
const statementTimeoutMillis = 5_000
/** A statement may open a connection and wait for another statement. */
const maxWaitMillis = connectTimeoutMillis + 2 * statementTimeoutMillis

/** Advisory lock for creating the tables, because concurrent creations of a table fail. */
const tablesLock = 402_402_001

/** Loads the peer when it is needed. Its name is in a variable, so that bundlers don't resolve it. */
const loadClient = async (): Promise<typeof import("@effect/sql-pg")> => {
  const name = "@effect/sql-pg"
  try {
    return (await import(/* @vite-ignore */ name)) as typeof import("@effect/sql-pg")
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
    throw new ConfigurationError({
      message: isMissing
        ? "journals: postgresJournals() needs the package @effect/sql-pg: install it with npm install @effect/sql-pg"
        : `journals: postgresJournals() can't load the package @effect/sql-pg: ${String(error)}`
    })
  }
}

const isPostgres = (url: string): boolean =>
  ["postgres:", "postgresql:"].includes(URL.parse(url)?.protocol ?? "")

/** Rejects after a time limit, because the network may have lost the request. */
const within = <A>(promise: Promise<A>): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`PostgreSQL did not respond within ${maxWaitMillis} ms`)),
      maxWaitMillis
    )
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** Connects and creates missing tables. The connections close with the scope. */
const connect = Effect.fnUntraced(function* ({ PgClient }: typeof import("@effect/sql-pg"), url: string) {
  const sql: SqlClient.SqlClient = yield* PgClient.make({
    url: Redacted.make(url),
    maxConnections: 4,
    connectTimeout: connectTimeoutMillis,
    applicationName: "till402-journals",
    startupParameters: {
      statement_timeout: String(statementTimeoutMillis),
      // Overrides the database's setting: a resolved statement is on disk.
      synchronous_commit: "on"
    }
  })
  const existing = yield* sql`
    SELECT tablename FROM pg_catalog.pg_tables
    WHERE schemaname = current_schema() AND ${sql.in("tablename", tableNames)}`
  // `CREATE TABLE IF NOT EXISTS` needs the right to create even where the table exists.
  if (existing.length < tableNames.length)
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SELECT pg_advisory_xact_lock(${tablesLock})`
        for (const text of tables) yield* sql.unsafe(text)
      })
    )
  return sql
}, Effect.provide(Reactivity.layer))

/**
 * Opens a PostgreSQL database, which connects with the first statement. Each statement is its own transaction, on the
 * server's disk when it resolves.
 *
 * @throws ConfigurationError for an address that is not one of a PostgreSQL database
 */
export const openPostgres = (url: string): Database => {
  if (!isPostgres(url)) {
    throw new ConfigurationError({
      message: "journals: url must be postgres://user:password@host:5432/database"
    })
  }
  let isClosed = false
  let opened: Scope.Closeable | undefined
  const ready = once(async () => {
    const client = await loadClient()
    const scope = Scope.makeUnsafe()
    try {
      const sql = await Effect.runPromise(Effect.provideService(connect(client, url), Scope.Scope, scope))
      if (isClosed) throw new Error("the journals are closed")
      opened = scope
      return sql
    } catch (error) {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      throw error
    }
  })
  const close = once(async () => {
    isClosed = true
    if (opened !== undefined) await within(Effect.runPromise(Scope.close(opened, Exit.void)))
  })
  return {
    run: async (text, values) => {
      if (isClosed) throw new Error("the journals are closed")
      return await within(ready().then((sql) => Effect.runPromise(sql.unsafe<Row>(text, values))))
    },
    close
  }
}
