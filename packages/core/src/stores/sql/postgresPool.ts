import type { PgConnection, PgPool } from "@effect/sql-pg"
import { type Array, Cause, Effect, Exit, type Scope, Semaphore, Stream } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"

/*
 * A client on a pool of PostgreSQL connections that stays small while the database can't be reached.
 *
 * In the pool of effect 4.1, each caller that waits starts another opening of a connection whenever one has failed. Without a
 * database, these openings wait for each other, more of them with every failure: 34,000 after 75 seconds of 20 callers. Each
 * that ends walks through all the others, so that the process did nothing else for a minute after the database was back. So no
 * more callers get to the pool than have a connection, or may open one. The client is built here because `PgClient.make` takes
 * no pool; once effect's pool is mended, that function replaces this file.
 */

type Pool = Pick<PgPool.PgPool, "get" | "reserve" | "use">

/** After an opening has failed, callers share the connections that are open for this long. */
const pauseMillis = 1_000

const hasFailed = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)

/**
 * Lets callers wait before the pool, not in it: as many get in as it may have connections. Once one can't be opened, only as
 * many as have one, or a single one that tries again. A second later, one more: it may open one even if the others never
 * return theirs. Each that succeeds lets in the next, each that fails begins another second.
 */
export const withoutCrowd = (pool: Pool, maxConnections: number, scope: Scope.Scope): Pool => {
  const places = Semaphore.makeUnsafe(maxConnections)
  let limit = maxConnections
  let held = 0
  let isPaused = false

  const limitTo = (next: number) => {
    limit = next
    return places.resize(next)
  }
  const raise = Effect.suspend(() => (isPaused || limit > held ? Effect.void : limitTo(held + 1)))
  const resume = Effect.suspend(() => {
    isPaused = false
    return raise
  })
  const lower = Effect.suspend(() => {
    const lowered = limitTo(Math.max(1, held))
    if (isPaused) return lowered
    isPaused = true
    return Effect.andThen(lowered, Effect.forkIn(Effect.delay(resume, pauseMillis), scope))
  })
  /** At once, since whatever follows may be interrupted. */
  const hold = (): Effect.Effect<void> => {
    held++
    return limit < maxConnections ? raise : Effect.void
  }
  const returned = Effect.sync(() => {
    held--
  })
  const scoped = (borrow: Pool["get"]): Pool["get"] =>
    Effect.uninterruptibleMask((restore) =>
      Effect.andThen(
        restore(places.takeScoped(1)),
        Effect.onExit(restore(borrow), (exit) => (hasFailed(exit) ? lower : Effect.void))
      ).pipe(
        Effect.tap(() =>
          Effect.andThen(
            hold(),
            Effect.addFinalizer(() => returned)
          )
        )
      )
    )

  return {
    get: scoped(pool.get),
    reserve: scoped(pool.reserve),
    use: (work) =>
      places.withPermit(
        Effect.suspend(() => {
          let isBorrowed = false
          const lent = pool.use((connection) => {
            isBorrowed = true
            return Effect.andThen(hold(), work(connection))
          })
          return Effect.onExit(lent, (exit) => {
            if (isBorrowed) return returned
            return hasFailed(exit) ? lower : Effect.void
          })
        })
      )
  }
}

type Rows = Parameters<SqlConnection.Connection["execute"]>[2]

/** A connection as effect's SQL client uses it. */
class PooledConnection implements SqlConnection.Connection {
  private readonly connection: PgConnection.PgConnection
  constructor(connection: PgConnection.PgConnection) {
    this.connection = connection
  }

  private rows(sql: string, values: ReadonlyArray<unknown>, transform: Rows, isPrepared: boolean) {
    return Effect.map(this.connection.query(sql, values, isPrepared), ({ rows }) =>
      transform === undefined ? rows : transform(rows)
    )
  }

  execute(sql: string, values: ReadonlyArray<unknown>, transform: Rows) {
    return this.rows(sql, values, transform, true)
  }
  executeUnprepared(sql: string, values: ReadonlyArray<unknown>, transform: Rows) {
    return this.rows(sql, values, transform, false)
  }
  executeRaw(sql: string, values: ReadonlyArray<unknown>) {
    return this.connection.query(sql, values)
  }
  executeValues(sql: string, values: ReadonlyArray<unknown>) {
    return this.connection.queryValues(sql, values)
  }
  executeValuesUnprepared(sql: string, values: ReadonlyArray<unknown>) {
    return this.connection.queryValues(sql, values, false)
  }
  executeStream(sql: string, values: ReadonlyArray<unknown>, transform: Rows) {
    const rows: Stream.Stream<object, SqlError.SqlError> = this.connection.stream(sql, values)
    return transform === undefined
      ? rows
      : Stream.mapArray(rows, (some) => transform(some) as Array.NonEmptyReadonlyArray<object>)
  }
}

/** PostgreSQL responds to the `COMMIT` of a transaction that has failed with `ROLLBACK`, and without an error. */
const commit = (connection: SqlConnection.Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    (result as PgConnection.Result).command === "ROLLBACK"
      ? Effect.fail(
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({
              cause: new Error("a statement of the transaction had failed"),
              message: "COMMIT was a rollback",
              operation: "commit"
            })
          })
        )
      : Effect.void
  )

/** The client that `PgClient.make` of `@effect/sql-pg` makes, on a pool that is given. */
export const clientOf = (
  pool: Pool,
  { compiler, spanAttributes }: Pick<SqlClient.SqlClient.MakeOptions, "compiler" | "spanAttributes">
) => {
  const pooled = (connection: PgConnection.PgConnection) => new PooledConnection(connection)
  return SqlClient.make({
    acquirer: Effect.map(pool.get, pooled),
    borrower: (work) => pool.use((connection) => work(pooled(connection))),
    transactionAcquirer: Effect.map(pool.reserve, pooled),
    compiler,
    spanAttributes,
    driver: "pg",
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
}
