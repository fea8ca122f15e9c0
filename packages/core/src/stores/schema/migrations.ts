import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ConfigurationError } from "../../domain/Errors.ts"
import { begunRefunds } from "./begunRefunds.ts"
import { claimedAfter } from "./claimedAfter.ts"
import { claims } from "./claimFunction.ts"
import { dailySums } from "./dailySums.ts"
import { downloadCounts } from "./downloadCounts.ts"
import { freeDownloads } from "./freeDownloads.ts"
import { initialSchema } from "./initialSchema.ts"
import { purchaseDownloads } from "./purchaseDownloads.ts"
import { refundAttemptTable } from "./refundAttemptTable.ts"
import { refusedDigest } from "./refusedDigest.ts"
import { checkSchema } from "./schemaCheck.ts"
import { storageMarks } from "./storageMarks.ts"
import { vaultArchives } from "./vaultArchives.ts"
import { vaultSearch } from "./vaultSearch.ts"

/** A step of the schema, by one statement after the other. */
export interface Migration {
  /** 1, 2, 3 and so on. */
  readonly id: number
  readonly name: string
  readonly sqlite: ReadonlyArray<string>
  readonly postgres: ReadonlyArray<string>
}

/** All migrations in their order. Those that were released never change: append another. */
export const migrations: ReadonlyArray<Migration> = [
  { id: 1, name: "initial", ...initialSchema },
  { id: 2, name: "daily_sums", ...dailySums },
  { id: 3, name: "vault_search", ...vaultSearch },
  { id: 4, name: "download_counts", ...downloadCounts },
  { id: 5, name: "vault_archives", ...vaultArchives },
  { id: 6, name: "purchase_downloads", ...purchaseDownloads },
  { id: 7, name: "storage_marks", ...storageMarks },
  { id: 8, name: "free_downloads", ...freeDownloads },
  { id: 9, name: "claims", ...claims },
  { id: 10, name: "claimed_after", ...claimedAfter },
  { id: 11, name: "refund_attempts", ...refundAttemptTable },
  { id: 12, name: "begun_refunds", ...begunRefunds },
  { id: 13, name: "refused_digest", ...refusedDigest }
]

type Dialect = "sqlite" | "postgres"

/** The table that records which migrations have run. */
const recordTable: Readonly<Record<Dialect, string>> = {
  sqlite: `CREATE TABLE IF NOT EXISTS till_migrations (
    migration_id integer PRIMARY KEY NOT NULL,
    created_at datetime NOT NULL DEFAULT current_timestamp,
    name VARCHAR(255) NOT NULL
  )`,
  postgres: `CREATE TABLE IF NOT EXISTS till_migrations (
    migration_id integer PRIMARY KEY,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    name text NOT NULL
  )`
}

const recordOf = ({ id, name }: Migration): string =>
  `INSERT INTO till_migrations (migration_id, name) VALUES (${id}, '${name}') ON CONFLICT DO NOTHING`

const schemaOf = (dialect: Dialect): string =>
  `${[recordTable[dialect], ...migrations.flatMap((migration) => [...migration[dialect], recordOf(migration)])].join(";\n\n")};\n`

/**
 * The schema as SQL, for hosts that run migrations themselves. A till that finds it needs no right to create tables.
 */
export const schemaSql: Readonly<Record<Dialect, string>> = {
  sqlite: schemaOf("sqlite"),
  postgres: schemaOf("postgres")
}

interface Recorded {
  readonly id: number
  readonly name: string
}

const labelOf = ({ id, name }: Recorded): string => `${id}_${name}`

/** The schema in which PostgreSQL creates tables: the first of the search path. SQLite has one. */
const requireSchema = (
  sql: SqlClient.SqlClient
): Effect.Effect<void, ConfigurationError | SqlError.SqlError> =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.flatMap(sql<{ readonly name: string | null }>`SELECT current_schema() AS name`, ([row]) =>
        row!.name === null
          ? Effect.fail(
              new ConfigurationError({
                message: "storage: no schema of the search path exists: create it, or correct search_path"
              })
            )
          : Effect.void
      ),
    orElse: () => Effect.void
  })

/** The migrations that a database has recorded, in its current schema alone. */
const recorded = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<ReadonlyArray<Recorded>, SqlError.SqlError> {
  const tables = yield* sql.onDialectOrElse({
    pg: () => sql`
      SELECT tablename FROM pg_catalog.pg_tables
      WHERE schemaname = current_schema() AND tablename = 'till_migrations'`,
    orElse: () => sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'till_migrations'`
  })
  if (tables.length === 0) return []
  return yield* sql<Recorded>`SELECT migration_id AS id, name FROM till_migrations ORDER BY migration_id`
})

/** Fails where a newer version has migrated the database: this one could write rows that the newer one can't read. */
const refuseUnknown = (found: ReadonlyArray<Recorded>): Effect.Effect<void, ConfigurationError> => {
  const known = new Set(migrations.map(labelOf))
  const unknown = found.map(labelOf).filter((label) => !known.has(label))
  if (unknown.length === 0) return Effect.void
  const newest = labelOf(migrations[migrations.length - 1]!)
  return Effect.fail(
    new ConfigurationError({
      message: `storage: a newer version of Till402 has migrated this database (${unknown.join(", ")}; this version knows migrations up to ${newest}). Nothing was changed. Run that version or a newer one, or restore a backup from before its migration.`
    })
  )
}

/** Two tills on PostgreSQL that start at once wait for each other, one schema apart from another. */
const lock = (sql: SqlClient.SqlClient): Effect.Effect<unknown, SqlError.SqlError> =>
  sql.onDialectOrElse({
    pg: () => sql`SELECT pg_advisory_xact_lock(402402, hashtext(current_schema()))`,
    // The transaction itself is exclusive.
    orElse: () => Effect.void
  })

/** An index of a large table takes longer than any statement of a call may. Until the transaction ends. */
const withoutTimeout = (sql: SqlClient.SqlClient): Effect.Effect<unknown, SqlError.SqlError> =>
  sql.onDialectOrElse({
    pg: () => sql`SET LOCAL statement_timeout = 0`,
    orElse: () => Effect.void
  })

/** Runs the migrations that are missing, in one transaction. */
const runMissing = (sql: SqlClient.SqlClient, dialect: Dialect) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* withoutTimeout(sql)
      yield* lock(sql)
      yield* sql.unsafe(recordTable[dialect])
      const found = yield* recorded(sql)
      yield* refuseUnknown(found)
      const missing = migrations.filter(({ id }) => !found.some((run) => run.id === id))
      for (const migration of missing)
        for (const text of [...migration[dialect], recordOf(migration)]) yield* sql.unsafe(text)
      return missing.map(({ id, name }): readonly [number, string] => [id, name])
    })
  )

/**
 * Migrates the schema, then compares it with the one that this version needs. Processes that start concurrently wait
 * for each other. Returns the migrations that it ran; where none is missing, it needs no right to create anything.
 *
 * Fails with `ConfigurationError` where a newer version has migrated the database, where tables, columns, indexes or
 * triggers are missing, or where the search path has no schema.
 */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = sql.onDialectOrElse({ pg: (): Dialect => "postgres", orElse: (): Dialect => "sqlite" })
  yield* requireSchema(sql)
  const found = yield* recorded(sql)
  yield* refuseUnknown(found)
  const ran = found.length === migrations.length ? [] : yield* runMissing(sql, dialect)
  yield* checkSchema(
    sql,
    migrations.flatMap((migration) => migration[dialect])
  )
  return ran
})
