import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { Effect, Layer, Scope, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError, Statement, type SqlConnection } from "effect/sql"

/** Prepared statements kept; the stores have fewer. */
const maxStatements = 200

/** node:sqlite names SQLite's own code `errcode`. */
const toSqlError = (cause: unknown, operation: string): SqlError.SqlError => {
  const errno = cause instanceof Error && "errcode" in cause ? cause.errcode : undefined
  const message = cause instanceof Error ? cause.message : String(cause)
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError({ errno, message, cause }, { message, operation })
  })
}

const toInput = (value: unknown): SQLInputValue => {
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Date) return value.getTime()
  return (value ?? null) as SQLInputValue
}

const makeConnection = (database: DatabaseSync): SqlConnection.Connection => {
  const statements = new Map<string, StatementSync>()
  const prepare = (text: string): StatementSync => {
    const known = statements.get(text)
    if (known !== undefined) return known
    if (statements.size >= maxStatements) statements.delete(statements.keys().next().value!)
    const statement = database.prepare(text)
    statements.set(text, statement)
    return statement
  }
  const attempt = <A>(operation: string, run: () => A) =>
    Effect.try({ try: run, catch: (cause) => toSqlError(cause, operation) })
  const all = (text: string, parameters: ReadonlyArray<unknown>): ReadonlyArray<Record<string, unknown>> =>
    prepare(text).all(...parameters.map(toInput))
  const values = (text: string, parameters: ReadonlyArray<unknown>) =>
    attempt("executeValues", () => all(text, parameters).map((row) => Object.values(row)))
  return {
    execute: (text, parameters, transform) =>
      attempt("execute", () => {
        const rows = all(text, parameters)
        return transform === undefined ? rows : transform(rows)
      }),
    executeRaw: (text, parameters) => attempt("executeRaw", () => all(text, parameters)),
    executeValues: values,
    executeValuesUnprepared: values,
    executeUnprepared: (text, parameters, transform) =>
      attempt("executeUnprepared", () => {
        if (parameters.length === 0 && transform === undefined) {
          database.exec(text)
          return []
        }
        const rows = database.prepare(text).all(...parameters.map(toInput)) as ReadonlyArray<
          Record<string, unknown>
        >
        return transform === undefined ? rows : transform(rows)
      }),
    executeStream: (text, parameters, transform) =>
      Stream.unwrap(
        Effect.map(
          attempt("executeStream", () => all(text, parameters)),
          (rows) => Stream.fromIterable(transform === undefined ? rows : transform(rows))
        )
      )
  }
}

/**
 * A client of `effect/sql` on Node's own SQLite: one connection, transactions one after the other. What
 * is committed is durable (`synchronous = FULL`), readers don't block (WAL), and other processes on the
 * same file are waited for (5 s).
 *
 * Fails with `SqlError`, reason `ConnectionError`, where the file can't be opened.
 */
export const layer = (options: {
  readonly filename: string
}): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))

/** The same as an effect, for a layer that says a failure in words of its own. */
export const connect = (options: { readonly filename: string }) =>
  Effect.provide(make(options), Reactivity.layer)

const make = Effect.fnUntraced(function* ({ filename }: { readonly filename: string }) {
  const database = yield* Effect.acquireRelease(
    Effect.try({
      try: () => {
        const opened = new DatabaseSync(filename)
        opened.exec(
          "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON"
        )
        return opened
      },
      catch: (cause) => toSqlError(cause, "open")
    }),
    (opened) => Effect.sync(() => opened.close())
  )
  const connection = makeConnection(database)
  const semaphore = yield* Semaphore.make(1)
  const transactionAcquirer = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      yield* restore(semaphore.take(1))
      yield* Scope.addFinalizer(scope, semaphore.release(1))
      return connection
    })
  )
  return yield* SqlClient.make({
    acquirer: semaphore.withPermits(1)(Effect.succeed(connection)),
    transactionAcquirer,
    compiler: Statement.makeCompilerSqlite(),
    driver: "sqlite-node",
    beginTransaction: "BEGIN IMMEDIATE",
    spanAttributes: [["db.system.name", "sqlite"]]
  })
})
