import { Effect, Layer, type Scope, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, type SqlError, Statement } from "effect/sql"
import * as SqliteDatabase from "./SqliteDatabase.ts"
import { MayBeLost } from "../sql/MayBeLost.ts"
import type { Job } from "./SqliteSession.ts"

type Run = (job: Job) => Effect.Effect<unknown, SqlError.SqlError>
type Rows = ReadonlyArray<Record<string, unknown>>
type Values = ReadonlyArray<ReadonlyArray<unknown>>

const connectionOf = (run: Run): SqlConnection.Connection => {
  const execute = <A>(
    text: string,
    parameters: ReadonlyArray<unknown>,
    { kept = true, shape = "rows" }: { shape?: Job["shape"]; kept?: boolean } = {}
  ) =>
    Effect.withFiber((fiber) =>
      run({
        text,
        parameters,
        shape,
        kept,
        bigints: fiber.getRef(SqlClient.SafeIntegers),
        mayBeLost: fiber.getRef(MayBeLost)
      })
    ) as Effect.Effect<A, SqlError.SqlError>
  return {
    execute: (text, parameters, transform) => {
      const rows = execute<Rows>(text, parameters)
      return transform === undefined ? rows : Effect.map(rows, transform)
    },
    executeRaw: (text, parameters) => execute(text, parameters, { shape: "raw" }),
    executeValues: (text, parameters) => execute<Values>(text, parameters, { shape: "values" }),
    executeValuesUnprepared: (text, parameters) =>
      execute<Values>(text, parameters, { shape: "values", kept: false }),
    executeUnprepared: (text, parameters, transform) => {
      const rows = execute<Rows>(text, parameters, { kept: false })
      return transform === undefined ? rows : Effect.map(rows, transform)
    },
    // All rows of a statement come at once.
    executeStream: (text, parameters, transform) =>
      Stream.unwrap(
        Effect.map(execute<Rows>(text, parameters), (rows) =>
          Stream.fromIterable(transform === undefined ? rows : transform(rows))
        )
      )
  }
}

const nothingKept = { get: () => undefined, set: () => undefined }

/**
 * Compiles without the compiler's cache by statement: each statement runs once, and a `WeakMap` keeps its parameters
 * until the next full garbage collection, which makes the others slow.
 */
export const compiler: Statement.Compiler = Object.assign(Statement.makeCompilerSqlite(), {
  statementCache: nothingKept,
  statementCacheNoTransform: nothingKept
})

/**
 * Opens a client of `effect/sql` on Node's own SQLite, until the scope closes: one connection in a thread of its own,
 * transactions (`BEGIN IMMEDIATE`) one after the other, single writes in group commits.
 *
 * Readers don't wait for writers (WAL), commits are durable (`synchronous = FULL`), and a lock of another process on
 * the same file is awaited (about 5 s) without blocking the event loop. Fails with `SqlError`.
 */
export const connect = Effect.fnUntraced(function* ({ filename }: { readonly filename: string }) {
  const database = yield* SqliteDatabase.open(filename)
  const lease = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connectionOf(database.runInTransaction)),
    semaphore: yield* Semaphore.make(1),
    isTransaction: database.inTransaction
  })
  const shared = connectionOf(database.run)
  const exclusively = <A>(acquire: Effect.Effect<A, SqlError.SqlError, Scope.Scope>) =>
    Effect.tap(acquire, () => database.exclusive)
  return yield* SqlClient.make({
    acquirer: exclusively(lease.acquirer),
    transactionAcquirer: exclusively(lease.transactionAcquirer),
    borrower: (use) => use(shared),
    compiler,
    driver: "sqlite-node",
    beginTransaction: "BEGIN IMMEDIATE",
    prepareTransactionControls: true,
    onCommitFailure: lease.onCommitFailure,
    isTransaction: lease.isTransaction,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
}, Effect.provide(Reactivity.layer))

/** The client as a layer. */
export const layer = (options: {
  readonly filename: string
}): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> => Layer.effect(SqlClient.SqlClient, connect(options))
