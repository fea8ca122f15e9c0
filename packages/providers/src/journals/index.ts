import { DatabaseSync } from "node:sqlite"
import { ConfigurationError } from "@till402/core"
import { postgresClient } from "@till402/core/postgres"
import { sqliteClient } from "@till402/core/sqlite"
import { Config, Effect, Layer, Redacted } from "effect"
import { memorySettlementJournal } from "../facilitator/SettlementJournal.ts"
import { memoryPlacementJournal } from "../rye/PlacementJournal.ts"
import { memoryTransferJournal } from "../solana-refunds/TransferJournal.ts"
import { connectTimeoutMillis, openDatabase, statementTimeoutMillis } from "./Database.ts"
import { Journals, journalsIn, type OpenJournals } from "./Journals.ts"

/*
 * Journals that outlive the process: transactions of a local facilitator, refunds on Solana, and the intent by which
 * Rye placed each order. They may be in the till's own database, in separate tables that are created with the first
 * use. Several processes may share them. Needs Node.
 */

export { Journals, type OpenJournals } from "./Journals.ts"
export type { PlacementEntry, PlacementJournal } from "../rye/PlacementJournal.ts"
export type { SettlementJournal, SettlementRecord } from "../facilitator/SettlementJournal.ts"
export type { TransferAttempt, TransferJournal } from "../solana-refunds/TransferJournal.ts"

/** Throws SQLite's reason if it can't open a file. The client would report it with the first use only. */
const checkFile = (filename: string): void => {
  if (filename.trim() === "")
    throw new ConfigurationError({ message: "journals: filename must not be empty" })
  try {
    new DatabaseSync(filename).close()
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError({ message: `journals: ${filename} can't be opened: ${words}` })
  }
}

/**
 * Opens journals in one SQLite file, with the client of the till's own storage: Node's own SQLite in a thread.
 *
 * Creates the file but not its folder. Waits up to 5 seconds for another process's lock. An operation that
 * fails rejects with a `StoreError`.
 *
 * @throws ConfigurationError if the file can't be opened
 * @example
 * import { sqliteJournals } from "@till402/providers/journals"
 * import { rye } from "@till402/providers/rye"
 *
 * const { placements } = sqliteJournals("till.sqlite")
 * const fulfilment = rye({ apiKey: process.env["RYE_API_KEY"]!, placements })
 */
export const sqliteJournals = (filename: string): OpenJournals => {
  checkFile(filename)
  return journalsIn(openDatabase(sqliteClient({ filename })))
}

const isPostgres = (url: string): boolean =>
  ["postgres:", "postgresql:"].includes(URL.parse(url)?.protocol ?? "")

/**
 * Opens journals in a PostgreSQL database (14 or newer), for several machines.
 *
 * Needs the optional peer `@effect/sql-pg`. Connects with the first use, with up to 4 connections. An
 * operation takes up to 15 seconds and rejects with a `StoreError` if it fails.
 *
 * @param url `postgres://user:password@host:5432/database`
 * @throws ConfigurationError for any other address
 */
export const postgresJournals = (url: string): OpenJournals => {
  if (!isPostgres(url)) {
    throw new ConfigurationError({
      message: "journals: url must be postgres://user:password@host:5432/database"
    })
  }
  const options = { url, maxConnections: 4, connectTimeoutMillis, statementTimeoutMillis }
  // Overrides the database's setting: a resolved statement is on disk.
  return journalsIn(openDatabase(postgresClient(options, { synchronous_commit: "on" })))
}

/** A layer that closes the journals with its scope. */
const opened = <E, R>(
  open: Effect.Effect<() => OpenJournals, E, R>
): Layer.Layer<Journals, E | ConfigurationError, R> =>
  Layer.effect(
    Journals,
    Effect.acquireRelease(
      Effect.flatMap(open, (journals) =>
        Effect.try({
          try: journals,
          catch: (error) =>
            error instanceof ConfigurationError
              ? error
              : new ConfigurationError({ message: `journals: ${String(error)}` })
        })
      ),
      ({ close }) => Effect.promise(close)
    )
  )

export interface SqliteJournalsOptions {
  readonly filename: string
}

/**
 * `Journals` in one SQLite file; see `sqliteJournals`.
 *
 * @example
 * import { SqliteJournals } from "@till402/providers/journals"
 *
 * const journals = SqliteJournals.layer({ filename: "till.sqlite" })
 */
export const SqliteJournals = {
  layer: ({ filename }: SqliteJournalsOptions): Layer.Layer<Journals, ConfigurationError> =>
    opened(Effect.succeed(() => sqliteJournals(filename))),

  /** Reads `JOURNALS_FILENAME`. It takes precedence over `defaults`. */
  layerConfig: (
    defaults: Partial<SqliteJournalsOptions> = {}
  ): Layer.Layer<Journals, Config.ConfigError | ConfigurationError> =>
    opened(
      Effect.map(
        defaults.filename === undefined
          ? Config.String("JOURNALS_FILENAME")
          : Config.withDefault(Config.String("JOURNALS_FILENAME"), defaults.filename),
        (filename) => () => sqliteJournals(filename)
      )
    )
}

export interface PostgresJournalsOptions {
  /** `postgres://user:password@host:5432/database` */
  readonly url: Redacted.Redacted<string>
}

/** `Journals` in a PostgreSQL database; see `postgresJournals`. */
export const PostgresJournals = {
  layer: ({ url }: PostgresJournalsOptions): Layer.Layer<Journals, ConfigurationError> =>
    opened(Effect.succeed(() => postgresJournals(Redacted.value(url)))),

  /** Reads `JOURNALS_URL`. It takes precedence over `defaults`. */
  layerConfig: (
    defaults: Partial<PostgresJournalsOptions> = {}
  ): Layer.Layer<Journals, Config.ConfigError | ConfigurationError> =>
    opened(
      Effect.map(
        defaults.url === undefined
          ? Config.Redacted("JOURNALS_URL")
          : Config.withDefault(Config.Redacted("JOURNALS_URL"), defaults.url),
        (url) => () => postgresJournals(Redacted.value(url))
      )
    )
}

/** `Journals` in this process's memory, for tests. After a restart, orders may be placed twice. */
export const MemoryJournals: { readonly layer: Layer.Layer<Journals> } = {
  layer: Layer.sync(Journals, () => ({
    placements: { ...memoryPlacementJournal(), isDurable: false },
    settlements: memorySettlementJournal(),
    transfers: memoryTransferJournal()
  }))
}
