import { Effect, Exit, Scope } from "effect"
import type { SqlClient } from "effect/sql"

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

/**
 * Creates the tables of the journals unless they exist. `bigint` fits milliseconds and chain ids in both dialects.
 */
const tables: ReadonlyArray<string> = [
  `CREATE TABLE IF NOT EXISTS till_placements (
    order_id text PRIMARY KEY,
    reference text NOT NULL,
    at_millis bigint NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS till_buyers (
    buyer text PRIMARY KEY
  )`,
  `CREATE TABLE IF NOT EXISTS till_settlements (
    "transaction" text PRIMARY KEY,
    key text NOT NULL,
    digest text NOT NULL,
    caller text NOT NULL,
    attempt bigint NOT NULL,
    replacement bigint NOT NULL,
    chain_id bigint NOT NULL,
    relayer text NOT NULL,
    nonce bigint NOT NULL,
    signed_transaction text NOT NULL,
    recorded_at_millis bigint NOT NULL,
    UNIQUE (key, attempt, replacement),
    UNIQUE (chain_id, relayer, nonce, replacement)
  )`,
  `CREATE TABLE IF NOT EXISTS till_solana_transfers (
    key text NOT NULL,
    position bigint NOT NULL,
    signature text NOT NULL,
    "transaction" text NOT NULL,
    last_valid_block_height bigint NOT NULL,
    signed_at_slot bigint NOT NULL,
    network text NOT NULL,
    payer text NOT NULL,
    payee text NOT NULL,
    mint text NOT NULL,
    amount_atomic text NOT NULL,
    caller text NOT NULL,
    PRIMARY KEY (key, position)
  )`
]

const tableNames: ReadonlyArray<string> = [
  "till_placements",
  "till_buyers",
  "till_settlements",
  "till_solana_transfers"
]

/** Timeouts on PostgreSQL. On SQLite, a statement waits up to 5 seconds for another process's lock. */
export const connectTimeoutMillis = 5_000
export const statementTimeoutMillis = 5_000
/** A statement may open a connection and wait for another statement. */
const maxWaitMillis = connectTimeoutMillis + 2 * statementTimeoutMillis

/** Advisory lock for creating the tables, because concurrent creations of a table fail on PostgreSQL. */
const tablesLock = 402_402_001

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

/** Creates missing tables. */
const createTables = (sql: SqlClient.SqlClient) => {
  const missing = Effect.forEach(tables, (text) => sql.unsafe(text), { discard: true })
  return sql.onDialectOrElse({
    sqlite: () => missing,
    orElse: () =>
      Effect.gen(function* () {
        const existing = yield* sql`
          SELECT tablename FROM pg_catalog.pg_tables
          WHERE schemaname = current_schema() AND ${sql.in("tablename", tableNames)}`
        // `CREATE TABLE IF NOT EXISTS` needs the right to create even where the table exists.
        if (existing.length === tableNames.length) return
        yield* sql.withTransaction(Effect.andThen(sql`SELECT pg_advisory_xact_lock(${tablesLock})`, missing))
      })
  })
}

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
