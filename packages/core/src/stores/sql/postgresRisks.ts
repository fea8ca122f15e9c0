import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { StoreError } from "../../domain/Errors.ts"
import { storageRisk } from "../../ports/StorageMarks.ts"
import type { Risk } from "../../runtime/secondsRisk.ts"

/*
 * Settings of PostgreSQL with which everything is sold, and what was sold is lost or shown.
 */

/** What is looked at: of the server, of this connection, and of the tables. */
export interface PostgresFacts {
  /** The setting that lets the server confirm what isn't on its disk; `null` if none does. */
  readonly setting: string | null
  /** The till's tables that a crash empties. */
  readonly unlogged: string | null
  /** The connection comes over the Internet, without TLS. */
  readonly isOpen: boolean
  /** Milliseconds after which a transaction ends with its connection, if they are few; `null`: more, or never. */
  readonly transactionMillis: string | null
  /** Roles of everybody, or of a web API, that may read or change the tables. */
  readonly webRoles: string | null
}

/** Whether an expression is no address of this machine or a private network. */
export const isPublic = (address: string): string =>
  `NOT ${address} <<= ANY (CAST('{10.0.0.0/8,100.64.0.0/10,127.0.0.0/8,169.254.0.0/16,172.16.0.0/12,192.168.0.0/16,::1/128,fc00::/7,fe80::/10}' AS inet[]))`

/** Neon writes to disks of other machines, and has it off. */
const fsync =
  "CASE WHEN current_setting('neon.timeline_id', TRUE) IS NULL THEN current_setting('fsync') ELSE 'on' END"

/** `anon` and `authenticated` are Supabase's, `anonymous` Neon's, `web_anon` PostgREST's: everybody with the address of the API has their rights. */
const factsOf = (sql: SqlClient.SqlClient) => sql<PostgresFacts>`
  WITH tables AS (
    SELECT c.oid, c.relname, c.relpersistence, c.relrowsecurity, n.oid AS schema
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname LIKE 'till\\_%'
  )
  SELECT
    CASE 'off' WHEN current_setting('synchronous_commit') THEN 'synchronous_commit'
      WHEN ${sql.literal(fsync)} THEN 'fsync' END AS setting,
    (SELECT string_agg(CAST(relname AS TEXT), ', ' ORDER BY relname) FROM tables WHERE relpersistence = 'u') AS unlogged,
    (SELECT setting FROM pg_catalog.pg_settings
      WHERE name = 'transaction_timeout' AND CAST(setting AS BIGINT) BETWEEN 1 AND 999) AS "transactionMillis",
    COALESCE((SELECT NOT ssl FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid()), FALSE)
      AND COALESCE(${sql.literal(isPublic("inet_client_addr()"))}, FALSE) AS "isOpen",
    (SELECT string_agg(DISTINCT role.name, ', ')
      FROM (SELECT CAST('public' AS name) AS name UNION SELECT rolname FROM pg_catalog.pg_roles
          WHERE rolname IN ('anon', 'anonymous', 'authenticated', 'web_anon')) AS role CROSS JOIN tables
      WHERE NOT relrowsecurity AND has_schema_privilege(role.name, schema, 'USAGE')
        AND has_table_privilege(role.name, tables.oid, 'SELECT, INSERT, UPDATE, DELETE')) AS "webRoles"`

/** Why each fact matters, and its cure. Pure. */
export const risksOf = ({
  isOpen,
  setting,
  transactionMillis,
  unlogged,
  webRoles
}: PostgresFacts): ReadonlyArray<Risk> =>
  [
    setting !== null &&
      storageRisk(
        `PostgreSQL has ${setting} = off: if it crashes, it forgets payments that have settled`,
        `Set ${setting} = on for the till's role or database`
      ),
    unlogged !== null &&
      storageRisk(
        `${unlogged} are unlogged tables: if PostgreSQL crashes, they are empty`,
        "ALTER TABLE … SET LOGGED for each"
      ),
    transactionMillis !== null &&
      storageRisk(
        `PostgreSQL ends transactions after ${transactionMillis} ms, and their connections: when it is busy, payments get a 503`,
        "Set transaction_timeout = '10s' for the till's role, or 0"
      ),
    isOpen &&
      storageRisk(
        "The connection to PostgreSQL comes over the Internet and is not encrypted: addresses of buyers can be read on the way, and payments made up",
        "Add sslmode=verify-full to its url"
      ),
    webRoles !== null &&
      storageRisk(
        `The roles ${webRoles} may read or change the till's tables: with an API over this schema, such as Supabase's, strangers see addresses and mark refunds as due`,
        `Give the till a schema of its own, or REVOKE ALL ON its tables FROM ${webRoles}`
      )
  ].filter((risk) => risk !== false)

/** Those of the database, once its tables are there. */
export const postgresRisks = Effect.flatMap(SqlClient.SqlClient, factsOf).pipe(
  Effect.map(([facts]) => risksOf(facts!)),
  Effect.mapError((cause) => new StoreError({ operation: "reading settings", cause }))
)
