import { Effect, Layer, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, type SqlError, Statement } from "effect/sql"
import * as GroupCommit from "./GroupCommit.ts"
import * as SqliteDatabase from "./SqliteDatabase.ts"

type Run = (job: SqliteDatabase.Job) => Effect.Effect<unknown, SqlError.SqlError>
type Rows = ReadonlyArray<Record<string, unknown>>
type Values = ReadonlyArray<ReadonlyArray<unknown>>

const connectionOf = (run: Run): SqlConnection.Connection => {
  const execute = <A>(
    text: string,
    parameters: ReadonlyArray<unknown>,
    { kept = true, shape = "rows" }: { shape?: SqliteDatabase.Job["shape"]; kept?: boolean } = {}
  ) =>
    Effect.withFiber((fiber) =>
      run({ text, parameters, shape, kept, bigints: fiber.getRef(SqlClient.SafeIntegers) })
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
    // node:sqlite reads synchronously on one connection: all rows come at once.
    executeStream: (text, parameters, transform) =>
      Stream.unwrap(
        Effect.map(execute<Rows>(text, parameters), (rows) =>
          Stream.fromIterable(transform === undefined ? rows : transform(rows))
        )
      )
  }
}

const endsTransaction = /^\s*COMMIT\b/i
const changesRows = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/i

/**
 * Opens a client of `effect/sql` on Node's own SQLite, until the scope closes: one connection, transactions
 * (`BEGIN IMMEDIATE`) one after the other, single writes in group commits.
 *
 * Readers don't wait for writers (WAL), commits are durable (`synchronous = FULL`), and a lock of another process on
 * the same file is awaited (about 5 s) without blocking the event loop. Fails with `SqlError`.
 */
export const connect = Effect.fnUntraced(function* ({ filename }: { readonly filename: string }) {
  const database = yield* SqliteDatabase.open(filename)
  const direct = connectionOf((job) =>
    database.attempt("execute", () => database.run(job), { commits: endsTransaction.test(job.text) })
  )
  const lease = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(direct),
    semaphore: yield* Semaphore.make(1),
    isTransaction: database.inTransaction
  })
  const group = yield* GroupCommit.make(database, (effect) => lease.borrower(() => effect))
  const shared = connectionOf((job) =>
    changesRows.test(job.text)
      ? group.submit(job)
      : lease.borrower(() => database.attempt("execute", () => database.run(job)))
  )
  return yield* SqlClient.make({
    acquirer: lease.acquirer,
    transactionAcquirer: lease.transactionAcquirer,
    borrower: (use) => use(shared),
    compiler: Statement.makeCompilerSqlite(),
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
