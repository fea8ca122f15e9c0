import { connect, type ConnectOptions, type Database, migrate } from "../src/storage/database.ts"
import { postgresStores } from "../src/storage/storage.ts"
import type { OwnStores } from "./races.ts"

/** A database for many tests, one after the other. Its connections stay open between them. */
export interface TestDatabase {
  readonly sql: Database
  /** Deletes every row. */
  readonly empty: () => Promise<void>
  /** Stores with their own connections: new ones, or some that an earlier test has closed. */
  readonly connect: () => OwnStores
  readonly close: () => Promise<void>
}

export const testDatabase = async (url: string, options?: ConnectOptions): Promise<TestDatabase> => {
  const sql = connect(url, options)
  await migrate(sql)
  const tables = await sql<Array<{ name: string }>>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'till'`
  const names = tables.map(({ name }) => `till.${name}`)
  // Faster than to truncate tables with a few rows. The lock waits for statements that a test has left running; no
  // triggers fire, such as those that protect the ledger. All of this is one transaction.
  const emptying = [
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL session_replication_role = replica",
    `LOCK TABLE ${names.join(", ")} IN EXCLUSIVE MODE`,
    ...names.map((name) => `DELETE FROM ${name}`)
  ].join("; ")
  const all: Array<OwnStores> = []
  const free: Array<OwnStores> = []
  return {
    sql,
    empty: async () => {
      await sql.unsafe(emptying)
    },
    connect: () => {
      let stores = free.pop()
      if (stores === undefined) all.push((stores = postgresStores(url, options)))
      const taken = stores
      // The tables are there already, and a later test takes the same connections.
      const open = async () => undefined
      const close = async () => {
        free.push(taken)
      }
      return { ...taken, open, close }
    },
    close: async () => {
      await Promise.all([sql.end(), ...all.map((stores) => stores.close())])
    }
  }
}
