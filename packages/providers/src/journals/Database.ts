import { Effect, Exit, Scope } from "effect"
import { migrateTables, type Migration } from "@till402/core/effect"
import { SqlClient } from "effect/sql"

/** A row by column name. */
export type Row = Readonly<Record<string, unknown>>

/**
 * The database of the journals. A statement takes numbered values (`$1`) and is its own transaction, on disk once it
 * resolves. It rejects within a bounded time, with an error that contains no password.
 */
export interface Database {
  readonly run: (text: string, values: ReadonlyArray<string | number>) => Promise<ReadonlyArray<Row>>
  /** Closes the connections; a second call waits for the first. Later statements reject. */
  readonly close: () => Promise<void>
}

/** The tables of the journals. `BIGINT` fits milliseconds and chain ids in both dialects. */
const tables: ReadonlyArray<string> = [
  `CREATE TABLE IF NOT EXISTS till_placements (
    order_id TEXT PRIMARY KEY,
    reference TEXT NOT NULL,
    at_millis BIGINT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS till_buyers (
    buyer TEXT PRIMARY KEY
  )`,
  `CREATE TABLE IF NOT EXISTS till_settlements (
    "transaction" TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    caller TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    replacement BIGINT NOT NULL,
    chain_id BIGINT NOT NULL,
    relayer TEXT NOT NULL,
    nonce BIGINT NOT NULL,
    signed_transaction TEXT NOT NULL,
    recorded_at_millis BIGINT NOT NULL,
    UNIQUE (key, attempt, replacement),
    UNIQUE (chain_id, relayer, nonce, replacement)
  )`,
  `CREATE TABLE IF NOT EXISTS till_solana_transfers (
    key TEXT NOT NULL,
    position BIGINT NOT NULL,
    signature TEXT NOT NULL,
    "transaction" TEXT NOT NULL,
    last_valid_block_height BIGINT NOT NULL,
    signed_at_slot BIGINT NOT NULL,
    network TEXT NOT NULL,
    payer TEXT NOT NULL,
    payee TEXT NOT NULL,
    mint TEXT NOT NULL,
    amount_atomic TEXT NOT NULL,
    caller TEXT NOT NULL,
    PRIMARY KEY (key, position)
  )`
]

/** All migrations of the journals. Until the first release the first is changed in place; then it never changes. */
const migrations: ReadonlyArray<Migration> = [{ id: 1, name: "initial", sqlite: tables, postgres: tables }]

/** Timeouts on PostgreSQL. On SQLite, a statement waits up to 5 seconds for another process's lock. */
export const connectTimeoutMillis = 5_000
export const statementTimeoutMillis = 5_000
/** A statement may open a connection and wait for another statement. */
const maxWaitMillis = connectTimeoutMillis + 2 * statementTimeoutMillis

/** Runs work once, with the first call. If it fails, the next call retries. */
const once = <A>(work: () => Promise<A>): (() => Promise<A>) => {
  let begun: Promise<A> | undefined
  return () => {
    begun ??= work().catch((error: unknown) => {
      begun = undefined
      throw error
    })
    return begun
  }
}

/** Rejects after a time limit, because the network may have lost the request. */
const within = <A>(promise: Promise<A>): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the database did not respond within ${maxWaitMillis} ms`)),
      maxWaitMillis
    )
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** Creates what is missing, and fails with `ConfigurationError` where the tables aren't those that this version needs. */
const createTables = (sql: SqlClient.SqlClient) =>
  Effect.provideService(migrateTables(migrations, "till_journal_migrations"), SqlClient.SqlClient, sql)

/** SQLite's numbered parameters are written `?1`. */
const inDialect = (sql: SqlClient.SqlClient, text: string): string =>
  sql.onDialectOrElse({ sqlite: () => text.replace(/\$(\d+)/g, "?$1"), orElse: () => text })

/** A database that `connect` opens with the first statement. */
export const openDatabase = <E>(connect: Effect.Effect<SqlClient.SqlClient, E, Scope.Scope>): Database => {
  const scope = Scope.makeUnsafe()
  let isClosed = false
  /** The connections of a failed attempt are closed with it. */
  const attempt = Effect.flatMap(Scope.fork(scope), (own) =>
    Effect.tap(connect, createTables).pipe(
      Effect.provideService(Scope.Scope, own),
      Effect.onError(() => Scope.close(own, Exit.void))
    )
  )
  const ready = once(() => Effect.runPromise(attempt))
  const close = once(() => {
    isClosed = true
    return within(Effect.runPromise(Scope.close(scope, Exit.void)))
  })
  return {
    run: async (text, values) => {
      if (isClosed) throw new Error("the journals are closed")
      return await within(
        ready().then((sql) => Effect.runPromise(sql.unsafe<Row>(inDialect(sql, text), values)))
      )
    },
    close
  }
}
