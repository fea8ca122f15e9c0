import { existsSync } from "node:fs"
import { migrationStatus, type MigrationStatus, schemaSql } from "@till402/core/effect"
import { postgres, postgresClient } from "@till402/core/postgres"
import { sqlite, sqliteClient } from "@till402/core/sqlite"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { CommandFailed, WrongUsage } from "../CommandFailed.ts"

/*
 * The database of a till by its address: the path of an SQLite file, or postgres://…
 */

export type Dialect = keyof typeof schemaSql

/** @throws WrongUsage for another scheme, without the address: it may have a password */
export const dialectOf = (database: string): Dialect => {
  if (/^postgres(?:ql)?:/.test(database)) return "postgres"
  if (/^[a-z][\w+.-]*:\/\//i.test(database))
    throw new WrongUsage(
      "the database must be the path of an SQLite file, or postgres://…: not another scheme"
    )
  return "sqlite"
}

/** The address without user and password, for people; a path that looks like one with a password isn't shown. */
export const nameOf = (database: string): string => {
  if (dialectOf(database) === "sqlite") return /:.*@/.test(database) ? "the database" : database
  const url = URL.parse(database)
  return url === null ? "the database" : `${url.host}${url.pathname}`
}

/** The storage in a database. SQLite would create the file: a mistyped path must not be a new, empty shop. */
export const storageOf = (database: string, { create = false }: { readonly create?: boolean } = {}) => {
  if (dialectOf(database) === "postgres") return postgres({ url: database, maxConnections: 2 })
  if (!create && !existsSync(database))
    throw new CommandFailed(`${nameOf(database)} doesn't exist: start the till once, or correct the path`)
  return sqlite({ filename: database })
}

/** Which migrations a database has; `undefined` for an SQLite file that doesn't exist. Changes nothing. */
export const statusOf = async (database: string): Promise<MigrationStatus | undefined> => {
  if (dialectOf(database) === "sqlite" && !existsSync(database)) return undefined
  const read = (sql: SqlClient.SqlClient) => Effect.provideService(migrationStatus, SqlClient.SqlClient, sql)
  return Effect.runPromise(
    Effect.scoped(
      dialectOf(database) === "postgres"
        ? Effect.flatMap(postgresClient({ url: database, maxConnections: 1 }), read)
        : Effect.flatMap(sqliteClient({ filename: database }), read)
    )
  )
}

/** Runs the migrations that are missing, as the start of a till does. */
export const migrateUp = async (database: string): Promise<void> => {
  const opened = Layer.provide(storageOf(database, { create: true }), Logger.layer([]))
  await Effect.runPromise(Effect.scoped(Effect.asVoid(Layer.build(opened))))
}
