import { Effect, Layer, Redacted, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { ConfigurationError, StoreError } from "./domain/Errors.ts"
import { type SecretText, unwrapped, whyWrapped } from "./runtime/SecretText.ts"
import { StorageIsReadOnly, StorageRisks } from "./ports/StorageMarks.ts"
import { unknownOptions } from "./stores/unknownOptions.ts"
import { storeMarginMillis } from "./ports/StoreClock.ts"
import type { Stores } from "./stores/Stores.ts"
import { postgresRisks } from "./stores/sql/postgresRisks.ts"
import { storesWithTimeout } from "./stores/sql/deadlines.ts"
import { clientOf, withoutCrowd } from "./stores/sql/postgresPool.ts"
import { addressOf, openSocket, type PostgresAddress } from "./stores/sql/postgresSocket.ts"
import { layerSql } from "./stores/sql/stores.ts"

/** Options of `postgres`. */
export interface PostgresOptions {
  /**
   * Connection string: `postgres://user:password@host:5432/database`. Supports libpq's parameters `sslmode`, `host`,
   * `port`, `user`, `password`, `dbname`, `application_name` and `options`. `connectTimeoutMillis` replaces its
   * `connect_timeout`. It has a password: as text, or wrapped by `Redacted.make`.
   */
  readonly url: SecretText
  /** Size of the connection pool: 1 to 1000, default 10. Connections are opened on demand. */
  readonly maxConnections?: number
  /** Timeout of opening a connection, in milliseconds: 1 to 30000, default 5000. */
  readonly connectTimeoutMillis?: number
  /**
   * Timeout of one statement, lock waits included, in milliseconds: 1 to 30000, default 10000. If the database no
   * longer responds, a store method fails after twice this plus `connectTimeoutMillis`.
   */
  readonly statementTimeoutMillis?: number
}

/**
 * Stores everything in a PostgreSQL database (14 or newer), for several processes or machines. Needs the optional peer
 * `@effect/sql-pg`. Migrates the schema at start; processes that start concurrently wait for each other. Tables begin
 * with `till_`, in the first schema of the connection's search path; those of its other schemas are never used.
 *
 * `till.ready` rejects with an error without the password: with `ConfigurationError` if an option is wrong, the peer is
 * missing, the server rejects the user or the database, or the schema is not the one that this version needs; with
 * `StoreError` if the database can't be reached or migrated. Configure PgBouncer to ignore the startup parameter
 * `statement_timeout` and to keep prepared statements (1.21 or newer).
 *
 * The database's clock decides leases. A process whose own clock differs by a minute is refused.
 *
 * @example
 * const till = Till.make({ ...options, storage: postgres({ url: "postgres://till@localhost/till" }) })
 */
export const postgres = (options: PostgresOptions): Layer.Layer<Stores, ConfigurationError | StoreError> => {
  const opened = Layer.effect(SqlClient.SqlClient, postgresClient(options))
  // The tables are there by then.
  const risks = Layer.effect(StorageRisks, postgresRisks).pipe(Layer.provideMerge(layerSql))
  // Layers are shared by reference. Fresh inside, so that two databases never share stores; one value outside, so that
  // a database is opened once, wherever its storage is provided.
  return Layer.effectContext(
    Effect.map(Layer.build(Layer.fresh(risks.pipe(Layer.provide(opened)))), (stores) =>
      storesWithTimeout(stores, methodTimeoutMillis({ ...defaults, ...options }))
    )
  )
}

/** In a variable, which keeps bundlers from resolving it. */
const clientName = "@effect/sql-pg"

/** Loads the peer on demand. */
const loadClient = Effect.tryPromise({
  try: () => import(/* @vite-ignore */ clientName) as Promise<typeof import("@effect/sql-pg")>,
  catch: (cause) =>
    new ConfigurationError({
      message:
        cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND"
          ? "storage: postgres() needs the package @effect/sql-pg: install it with npm install @effect/sql-pg"
          : `storage: postgres() can't load the package @effect/sql-pg: ${String(cause)}`
    })
})

const defaults = { maxConnections: 10, connectTimeoutMillis: 5_000, statementTimeoutMillis: 10_000 }
/** No timeout is longer than what a lease leaves for the store, though one method may wait for several of them. */
const greatest = {
  maxConnections: 1_000,
  connectTimeoutMillis: storeMarginMillis,
  statementTimeoutMillis: storeMarginMillis
}

/** Timeout of a store method: it may open a connection, and wait for two statements or for a free connection. */
const methodTimeoutMillis = (
  options: Required<Pick<PostgresOptions, "connectTimeoutMillis" | "statementTimeoutMillis">>
): number => options.connectTimeoutMillis + 2 * options.statementTimeoutMillis

interface Settings extends Required<PostgresOptions> {
  readonly url: string
  readonly address: PostgresAddress
  /** For messages: no user, no password. */
  readonly database: string
}

const readOptions = (options: PostgresOptions): Effect.Effect<Settings, ConfigurationError> => {
  const settings = { ...defaults, ...options, url: unwrapped(options.url) }
  const faults: Array<string> = [...unknownOptions("postgres", options, ["url", ...Object.keys(defaults)])]
  const url = URL.parse(settings.url)
  const isPostgres = url !== null && ["postgres:", "postgresql:"].includes(url.protocol)
  const address = isPostgres ? addressOf(url) : undefined
  if (address === undefined)
    faults.push(
      `url must be postgres://user:password@host:5432/database, with characters such as # and / of user and password percent-encoded${whyWrapped(settings.url)}`
    )
  // Another driver's, which this one would ignore.
  if (/^(?!0|false|disable)/.test(url?.searchParams.get("ssl") ?? "0") && !url?.searchParams.has("sslmode"))
    faults.push("url has ssl, which would encrypt nothing: give sslmode=require in its place")
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

interface ServerSettings {
  readonly isolation: string
  readonly isReadOnly: boolean
  /** In which tables are created. */
  readonly schema: string | null
}

/** Why a till can't use a server with these settings, with the cure. Pure. */
const problemOf = (
  { isReadOnly, isolation, schema }: ServerSettings,
  { onlyReads, url }: { readonly onlyReads: boolean; readonly url: string }
): string | undefined => {
  // Another driver's parameter.
  const wanted = URL.parse(url)?.searchParams.get("schema") ?? schema
  if (wanted !== schema)
    return `would have the tables in the schema ${schema}: schema=${wanted} in its url counts for other clients alone. Give options=-c%20search_path%3D${wanted} in its place`
  // One statement must see what another one, for which it waited, has written: payers' limits are counted so.
  if (isolation !== "read committed" && !onlyReads)
    return `isolates transactions as ${isolation}, so that calls at the same time fail, and payers get more than their limits. Its role, its database or its url has default_transaction_isolation: set it to 'read committed', as in ALTER ROLE … SET default_transaction_isolation = 'read committed'`
  return isReadOnly && !onlyReads
    ? "is read-only, so no payment could be recorded: it is a standby, or its role has default_transaction_read_only. Give the url of the primary, and a role that may write"
    : undefined
}

/** SQLSTATEs that a retry doesn't fix: wrong user, password or database, missing rights. */
const refused = /^(?:28|3D000|42501)/

/** Why connecting failed, in the server's or the network's words. They may name the user, never the password. */
const startFailure = (database: string, error: SqlError.SqlError): ConfigurationError | StoreError => {
  const { cause } = error.reason
  const words = cause instanceof Error ? cause.message : error.reason.message
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  // PgBouncer, as it is installed.
  const parameter = /unsupported startup parameter: (\w+)/.exec(words)?.[1]
  const cure = parameter === undefined ? "" : `. Set ignore_startup_parameters = ${parameter} in PgBouncer`
  return refused.test(code) || cure !== ""
    ? new ConfigurationError({ message: `storage: ${database} can't be used: ${words}${cure}` })
    : new StoreError({ operation: `connecting to ${database} (${words})`, cause: error })
}

/**
 * Opens a client of `effect/sql` on a PostgreSQL database until the scope closes, for tables beside those of the till.
 *
 * @param parameters settings of its connections, such as `synchronous_commit`
 */
export const postgresClient = Effect.fnUntraced(function* (
  options: PostgresOptions,
  parameters: Readonly<Record<string, string>> = {}
): Effect.fn.Return<SqlClient.SqlClient, ConfigurationError | StoreError, Scope.Scope> {
  const { address, database, ...settings } = yield* readOptions(options)
  const { PgClient, PgPool } = yield* loadClient
  const timeoutMillis = methodTimeoutMillis(settings)
  const failure = (error: SqlError.SqlError) => startFailure(database, error)
  const pool = yield* PgPool.make({
    ...address,
    url: Redacted.make(settings.url),
    stream: () => openSocket(address, 2 * timeoutMillis),
    maxConnections: settings.maxConnections,
    idleTimeout: timeoutMillis,
    connectTimeout: settings.connectTimeoutMillis,
    applicationName: "till402",
    startupParameters: { ...parameters, statement_timeout: String(settings.statementTimeoutMillis) }
  }).pipe(Effect.mapError(failure))
  const client = yield* Effect.provide(
    clientOf(withoutCrowd(pool, settings.maxConnections, yield* Effect.scope), {
      compiler: PgClient.makeCompiler(),
      spanAttributes: [
        ["db.system.name", "postgresql"],
        ["server.address", address.host],
        ["server.port", address.port]
      ]
    }),
    Reactivity.layer
  )
  // The pool connects on demand; this reports a wrong address at start.
  const [found] = yield* Effect.mapError(
    client<ServerSettings>`SELECT current_setting('transaction_isolation') AS isolation,
      current_setting('transaction_read_only') = 'on' AS "isReadOnly", current_schema() AS schema`,
    failure
  )
  const problem = problemOf(found!, { onlyReads: yield* StorageIsReadOnly, url: settings.url })
  if (problem !== undefined)
    return yield* new ConfigurationError({ message: `storage: ${database} ${problem}` })
  return client
})
