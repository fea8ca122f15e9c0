import { type Journals, journalsIn } from "./Journals.ts"
import { openPostgres } from "./PostgresDatabase.ts"
import { openSqlite } from "./SqliteDatabase.ts"

/*
 * Journals that outlive the process: what the treasury has paid, and by which of Rye's intents an order was placed.
 * They may stand in the till's own database, in tables of their own, which are made with the first use. Several
 * processes may share them. Needs Node.
 */

export type { Journals } from "./Journals.ts"
export type { PlacementEntry, PlacementJournal } from "../rye/PlacementJournal.ts"
export type { PaymentJournal, PaymentRecord } from "../treasury/PaymentJournal.ts"

/**
 * Journals in one SQLite file, on Node's own SQLite. The file is made where there is none, its folder is not. The lock
 * of another process is waited for, 5 seconds at most. A verb that fails rejects with a `StoreError`.
 *
 * @throws ConfigurationError where the file can't be opened.
 * @example
 * import { sqliteJournals } from "@till402/providers/journals"
 * import { rye } from "@till402/providers/rye"
 *
 * const { placements } = sqliteJournals("till.sqlite")
 * const fulfilment = rye({ apiKey: process.env["RYE_API_KEY"]!, placements })
 */
export const sqliteJournals = (filename: string): Journals => journalsIn(openSqlite(filename))

/**
 * Journals in a PostgreSQL database (14 or newer), for several machines: needs the optional peer `@effect/sql-pg`. It
 * is connected to with the first use, by 4 connections at most; a verb takes 15 seconds at most, and rejects with a
 * `StoreError` where it fails.
 *
 * @param url `postgres://user:password@host:5432/database`
 * @throws ConfigurationError for what is no such address.
 */
export const postgresJournals = (url: string): Journals => journalsIn(openPostgres(url))
