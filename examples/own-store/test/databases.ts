import { connect, type Database, migrate } from "../src/storage/database.ts"
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

export const testDatabase = async (url: string): Promise<TestDatabase> => {
  const sql = connect(url)
  await migrate(sql)
  const tables = await sql<Array<{ name: string }>>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'till'`
  const names = tables.map(({ name }) => `till.${name}`).join(", ")
  const all: Array<OwnStores> = []
  const free: Array<OwnStores> = []
  return {
    sql,
    // The triggers that protect the ledger look at single rows.
    empty: async () => {
      await sql.unsafe(`TRUNCATE ${names}`)
    },
    connect: () => {
      let stores = free.pop()
      if (stores === undefined) all.push((stores = postgresStores(url)))
      const taken = stores
      const close = async () => {
        free.push(taken)
      }
      return { ...taken, close }
    },
    close: async () => {
      await Promise.all([sql.end(), ...all.map((stores) => stores.close())])
    }
  }
}
