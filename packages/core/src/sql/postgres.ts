import { Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { ConfigurationError, StoreError } from "../domain/Errors.ts"
import type { Stores } from "../ports/Stores.ts"
import { boundedStores } from "./deadlines.ts"
import { addressOf, openSocket, type PostgresAddress } from "./postgresSocket.ts"
import { layerSql } from "./stores.ts"

/** Where the database is, and how much of it the till takes. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host:5432/database`. Of libpq's parameters it knows `sslmode`, `host`, `port`, `user`,
   * `password`, `dbname`, `application_name`, `options`; the till's own deadlines hold instead of its `connect_timeout`.
   */
  readonly url: string
  /** Connections held at most: 1 to 1000, default 10. They are opened when they are needed. */
  readonly maxConnections?: number
  /** How long opening a connection may take: 1 to 30000, default 5000. */
  readonly connectTimeoutMillis?: number
  /**
   * How long one statement may take, lock waits included: 1 to 30000, default 10000. Of a database of which nothing
   * is heard any more, a verb despairs after twice this and `connectTimeoutMillis` together.
   */
  readonly statementTimeoutMillis?: number
}

/**
 * Storage in a PostgreSQL database (14 or newer), for several processes or machines: needs the optional
 * peer `@effect/sql-pg`. The schema is brought up to date at start; processes that start at once wait for
 * each other. Tables begin with `till_`, in the first schema of the connection's search path.
 *
 * `till.ready` rejects with a readable error that holds no password: `ConfigurationError` where an option
 * is wrong, the peer is missing or the server refuses the user or the database, `StoreError` where the
 * database can't be reached or migrated. Behind PgBouncer, let it ignore the startup parameter
 * `statement_timeout` and keep prepared statements (1.21 or newer).
 *
 * @example
 * const till = Till.make({ ...options, storage: postgres({ url: "postgres://till@localhost/till" }) })
 */
export const postgres = (options: PostgresOptions): Layer.Layer<Stores, ConfigurationError | StoreError> => {
  const opened = Layer.effect(SqlClient.SqlClient, connect(options)).pipe(Layer.provide(Reactivity.layer))
  // Layers are shared by reference: fresh inside, so that two databases never share stores; and one value
  // outside, so that one database is opened once however often its storage is provided.
  return Layer.effectContext(
    Effect.map(Layer.build(Layer.fresh(layerSql.pipe(Layer.provide(opened)))), (stores) =>
      boundedStores(stores, despairMillis({ ...defaults, ...options }))
    )
  )
}

/** The peer is asked for when it is needed; its name in a variable keeps bundlers from looking for it. */
const loadClient = Effect.tryPromise({
  try: () => {
    const name = "@effect/sql-pg"
    return import(/* @vite-ignore */ name) as Promise<typeof import("@effect/sql-pg")>
  },
  catch: (cause) =>
    new ConfigurationError({
      message:
        cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND"
          ? "storage: postgres() needs the package @effect/sql-pg: install it beside @till402/core"
          : `storage: postgres() can't load the package @effect/sql-pg: ${String(cause)}`
    })
})

const defaults = { maxConnections: 10, connectTimeoutMillis: 5_000, statementTimeoutMillis: 10_000 }
/** A charge's lease (180 seconds) must outlast the verbs of a call, so none may take long. */
const greatest = { maxConnections: 1_000, connectTimeoutMillis: 30_000, statementTimeoutMillis: 30_000 }

/** When to despair of a database: a verb may open a connection, and wait for two statements or for a free connection. */
const despairMillis = (
  options: Required<Pick<PostgresOptions, "connectTimeoutMillis" | "statementTimeoutMillis">>
): number => options.connectTimeoutMillis + 2 * options.statementTimeoutMillis

interface Settings extends Required<PostgresOptions> {
  readonly address: PostgresAddress
  /** For messages: no user, no password. */
  readonly database: string
}

const readOptions = (options: PostgresOptions): Effect.Effect<Settings, ConfigurationError> => {
  const settings = { ...defaults, ...options }
  const faults: Array<string> = []
  const url = URL.parse(settings.url)
  const isPostgres = url !== null && ["postgres:", "postgresql:"].includes(url.protocol)
  const address = isPostgres ? addressOf(url) : undefined
  if (address === undefined) faults.push("url must be postgres://user:password@host:5432/database")
  for (const name of ["maxConnections", "connectTimeoutMillis", "statementTimeoutMillis"] as const) {
    const value = settings[name]
    if (!Number.isInteger(value) || value < 1 || value > greatest[name])
      faults.push(`${name} must be a whole number between 1 and ${greatest[name]}`)
  }
  if (url === null || address === undefined || faults.length > 0)
    return Effect.fail(new ConfigurationError({ message: `storage: ${faults.join("; ")}` }))
  return Effect.succeed({
    ...settings,
    address,
    database: `${address.host}:${address.port}${url.pathname}`
  })
}

/** SQLSTATEs that no second attempt helps: the user or its password, the database, the rights. */
const refused = /^(?:28|3D000|42501)/

/** What came of connecting, in words: the server's, or the network's. They name a user, never a password. */
const startFailure = (database: string, error: SqlError.SqlError): ConfigurationError | StoreError => {
  const { cause } = error.reason
  const words = cause instanceof Error ? cause.message : error.reason.message
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return refused.test(code)
    ? new ConfigurationError({ message: `storage: ${database} can't be used: ${words}` })
    : new StoreError({ operation: `connecting to ${database} (${words})`, cause: error })
}

const connect = Effect.fnUntraced(function* (options: PostgresOptions) {
  const { address, database, ...settings } = yield* readOptions(options)
  const { PgClient } = yield* loadClient
  const despair = despairMillis(settings)
  const failure = (error: SqlError.SqlError) => startFailure(database, error)
  const client = yield* PgClient.make({
    ...address,
    url: Redacted.make(settings.url),
    stream: () => openSocket(address, 2 * despair),
    maxConnections: settings.maxConnections,
    idleTimeout: despair,
    connectTimeout: settings.connectTimeoutMillis,
    applicationName: "till402",
    startupParameters: { statement_timeout: String(settings.statementTimeoutMillis) }
  }).pipe(Effect.mapError(failure))
  // The pool opens connections when they are asked for; a wrong address is to be known at start.
  yield* Effect.mapError(client`SELECT 1`, failure)
  return client as SqlClient.SqlClient
})
