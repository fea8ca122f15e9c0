import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ConfigurationError, type StoreError } from "../../domain/Errors.ts"
import { StorageIsReadOnly } from "../../ports/StorageMarks.ts"
import { chargeTables } from "./chargeTables.ts"
import { claimFunction } from "./claimStatement.ts"
import { ledgerTables } from "./ledgerTables.ts"
import { orderTables } from "./orderTables.ts"
import { checkSchema, refuseForeignTables } from "./schemaCheck.ts"
import { vaultTables } from "./vaultTables.ts"

/** A step of the schema, by one statement after the other. */
export interface Migration {
  /** 1, 2, 3 and so on. */
  readonly id: number
  readonly name: string
  readonly sqlite: ReadonlyArray<string>
  readonly postgres: ReadonlyArray<string>
}

/** Orders text by code points on PostgreSQL, as SQLite does, instead of the database's language. */
const byCodePoint = (statement: string): string => statement.replace(/ TEXT\b/g, ' TEXT COLLATE "C"')

/**
 * One schema for SQLite and PostgreSQL: text, and integers for milliseconds and counts. Until the first release it is
 * changed in place.
 */
const initial: Migration = {
  id: 1,
  name: "initial",
  sqlite: [...chargeTables.sqlite, ...ledgerTables.sqlite, ...orderTables.sqlite, ...vaultTables.sqlite],
  postgres: [
    ...chargeTables.postgres,
    ...ledgerTables.postgres,
    ...orderTables.postgres,
    ...vaultTables.postgres,
    claimFunction
  ].map(byCodePoint)
}

/** All migrations in their order. One that was released never changes: append another. */
export const migrations: ReadonlyArray<Migration> = [initial]

type Dialect = "sqlite" | "postgres"

/** The tables that record which migrations have run: of the stores, and of the journals, which may be beside them. */
export type RecordTable = "till_migrations" | "till_journal_migrations"

const tableOfRecords = (name: RecordTable): string => `CREATE TABLE IF NOT EXISTS ${name} (
    migration_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT CURRENT_TIMESTAMP
  )`

const recordOf = ({ id, name }: Migration, table: RecordTable): string =>
  `INSERT INTO ${table} (migration_id, name) VALUES (${id}, '${name}') ON CONFLICT DO NOTHING`

const schemaOf = (dialect: Dialect): string =>
  `${[tableOfRecords("till_migrations"), ...migrations.flatMap((migration) => [...migration[dialect], recordOf(migration, "till_migrations")])].join(";\n\n")};\n`

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
  sql: SqlClient.SqlClient,
  table: RecordTable
): Effect.fn.Return<ReadonlyArray<Recorded>, SqlError.SqlError> {
  const tables = yield* sql.onDialectOrElse({
    pg: () => sql`
      SELECT tablename FROM pg_catalog.pg_tables
      WHERE schemaname = current_schema() AND tablename = ${table}`,
    orElse: () => sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name = ${table}`
  })
  if (tables.length === 0) return []
  return yield* sql<Recorded>`SELECT migration_id AS id, name FROM ${sql(table)} ORDER BY migration_id`
})

/** Fails where a newer version has migrated the database: this one could write rows that the newer one can't read. */
const refuseUnknown = (
  all: ReadonlyArray<Migration>,
  found: ReadonlyArray<Recorded>
): Effect.Effect<void, ConfigurationError> => {
  const known = new Set(all.map(labelOf))
  const unknown = found.map(labelOf).filter((label) => !known.has(label))
  if (unknown.length === 0) return Effect.void
  const newest = labelOf(all.at(-1)!)
  return Effect.fail(
    new ConfigurationError({
      message: `storage: a newer version of Till402 has migrated this database (${unknown.join(", ")}; this version knows migrations up to ${newest}). Nothing was changed. Run that version or a newer one, or restore a backup from before its migration.`
    })
  )
}

/**
 * Two tills on PostgreSQL that start at once wait for each other, one schema apart from another; and an index of a large
 * table takes longer than any statement of a call may. Until the transaction ends.
 */
const prepare = (sql: SqlClient.SqlClient): Effect.Effect<unknown, SqlError.SqlError> =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.andThen(
        sql`SET LOCAL statement_timeout = 0`,
        sql`SELECT pg_advisory_xact_lock(402402, hashtext(current_schema()))`
      ),
    // The transaction itself is exclusive.
    orElse: () => Effect.void
  })

/** Fails in an operator's words where PostgreSQL refuses a right to the role: what to grant, and to whom. */
export const explainRights = <A, E>(
  sql: SqlClient.SqlClient,
  work: Effect.Effect<A, E | SqlError.SqlError>,
  advice: (role: string, schema: string) => string
): Effect.Effect<A, E | SqlError.SqlError | ConfigurationError> =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.catchReason(work, "SqlError", "AuthorizationError", ({ cause, message }) =>
        Effect.flatMap(
          sql<{ readonly role: string; readonly schema: string }>`
            SELECT quote_ident(current_user) AS role, quote_ident(current_schema()) AS schema`,
          ([row]) => {
            const words = cause instanceof Error ? cause.message : message
            return Effect.fail(
              new ConfigurationError({
                message: `storage: the role ${row!.role} lacks a right: ${words}. Nothing was changed. ${advice(row!.role, row!.schema)}`
              })
            )
          }
        )
      ),
    orElse: () => work
  })

/** Fails where a storage that is opened beside a till has yet to be migrated by one. */
const refuseBefore = (missing: ReadonlyArray<string>): Effect.Effect<never, ConfigurationError> =>
  Effect.fail(
    new ConfigurationError({
      message: `storage: this database lacks the migrations ${missing.join(", ")}. Nothing was changed. Start the till on it once, or name the database of the till`
    })
  )

const statementsOf = (migrations: ReadonlyArray<Migration>, dialect: Dialect): ReadonlyArray<string> =>
  migrations.flatMap((migration) => migration[dialect])

type Rehearsal = Effect.Effect<void, ConfigurationError | StoreError, SqlClient.SqlClient>

/**
 * Runs the migrations that are missing, in one transaction. A schema that is wrong before or after them, or a rehearsal that
 * fails, rolls it back: the version that the database was made by can go on with it.
 */
const runMissing = (
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  {
    all,
    rehearsal,
    table
  }: { readonly all: ReadonlyArray<Migration>; readonly rehearsal: Rehearsal; readonly table: RecordTable }
) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* prepare(sql)
      yield* sql.unsafe(tableOfRecords(table))
      const found = yield* recorded(sql, table)
      yield* refuseUnknown(all, found)
      const missing = all.filter(({ id }) => !found.some((run) => run.id === id))
      const before = all.filter((migration) => !missing.includes(migration))
      if (missing.length === 0) return []
      yield* before.length > 0
        ? checkSchema(sql, statementsOf(before, dialect))
        : refuseForeignTables(sql, statementsOf(all, dialect))
      for (const migration of missing)
        for (const text of [...migration[dialect], recordOf(migration, table)]) yield* sql.unsafe(text)
      yield* checkSchema(sql, statementsOf(all, dialect))
      if (before.length > 0) yield* Effect.provideService(rehearsal, SqlClient.SqlClient, sql)
      return missing.map(labelOf)
    })
  )

/**
 * Migrates the schema, and compares it with the one that its version made before, and with the one that this version needs
 * after: of an upgrade that is refused, nothing stays. Processes that start concurrently wait
 * for each other. Returns the migrations that it ran; where none is missing, it needs no right to create anything.
 *
 * Fails with `ConfigurationError` where a newer version has migrated the database, where tables, columns, indexes or
 * triggers are missing, or where the search path has no schema.
 */
export const migrate = Effect.fnUntraced(function* (
  all: ReadonlyArray<Migration>,
  table: RecordTable = "till_migrations",
  rehearsal: Rehearsal = Effect.void
) {
  const sql = yield* SqlClient.SqlClient
  const dialect = sql.onDialectOrElse({ pg: (): Dialect => "postgres", orElse: (): Dialect => "sqlite" })
  yield* requireSchema(sql)
  const found = yield* explainRights(
    sql,
    recorded(sql, table),
    (role) => `As the owner of its tables: GRANT SELECT ON ${table} TO ${role}`
  )
  yield* refuseUnknown(all, found)
  const missing = all.filter(({ id }) => !found.some((run) => run.id === id)).map(labelOf)
  if (missing.length > 0 && (yield* StorageIsReadOnly)) return yield* refuseBefore(missing)
  const ran =
    found.length === all.length
      ? []
      : yield* explainRights(
          sql,
          runMissing(sql, dialect, { all, rehearsal, table }),
          (role, schema) =>
            `${table} lacks ${missing.join(", ")}, which creates tables, or records those that exist. For one start: GRANT CREATE ON SCHEMA ${schema} TO ${role}. Where the tables belong to another role, start once as that role instead, and then GRANT SELECT ON ${table} TO ${role}`
        )
  if (ran.length === 0) yield* checkSchema(sql, statementsOf(all, dialect))
  return ran
})

/** What a database has of the schema, each as `1_initial`. */
export interface MigrationStatus {
  readonly ran: ReadonlyArray<string>
  /** Those that the next start of a till runs. */
  readonly missing: ReadonlyArray<string>
  /** Those of a newer version: a till of this one doesn't start on the database. */
  readonly unknown: ReadonlyArray<string>
}

/** Reads which migrations a database has recorded; changes nothing. */
export const migrationStatus = Effect.gen(function* () {
  const found = yield* recorded(yield* SqlClient.SqlClient, "till_migrations")
  const isIn = (all: ReadonlyArray<Recorded>) => (one: Recorded) => all.some(({ id }) => id === one.id)
  const status: MigrationStatus = {
    ran: found.map(labelOf),
    missing: migrations.filter((one) => !isIn(found)(one)).map(labelOf),
    unknown: found.filter((one) => !isIn(migrations)(one)).map(labelOf)
  }
  return status
})
