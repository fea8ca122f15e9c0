import { closeSync, fsyncSync, mkdtempSync, openSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { postgres } from "@till402/core/postgres"
import { sqlite } from "@till402/core/sqlite"
import { startPostgres } from "@till402/test-postgres"

/** An empty database on the disk. */
export interface Database {
  /** Opens it as a till's storage. */
  readonly open: () => ReturnType<typeof sqlite>
  /** Runs statements in it, as fast as they can be. */
  readonly execute: (statements: ReadonlyArray<string>) => Promise<void>
  readonly bytes: () => Promise<number>
}

/** An engine and its databases. */
export interface Engine {
  readonly create: () => Promise<Database>
  readonly stop: () => Promise<void>
}

const startSqlite = async (): Promise<Engine> => {
  const folder = mkdtempSync(join(tmpdir(), "till402-bench-"))
  let files = 0
  return {
    create: async () => {
      const name = `${++files}.sqlite`
      const filename = join(folder, name)
      return {
        open: () => sqlite({ filename }),
        execute: async (statements) => {
          const database = new DatabaseSync(filename)
          database.exec("PRAGMA synchronous = OFF")
          for (const statement of statements) database.exec(statement)
          database.close()
          // Otherwise the first checkpoint waits until the disk has all of it.
          const file = openSync(filename, "r+")
          fsyncSync(file)
          closeSync(file)
        },
        bytes: async () =>
          readdirSync(folder)
            .filter((file) => file.startsWith(name))
            .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
      }
    },
    stop: async () => rmSync(folder, { recursive: true })
  }
}

const startOwnPostgres = async (): Promise<Engine> => {
  const cluster = await startPostgres({ durable: true })
  return {
    create: async () => {
      const url = await cluster.createDatabase()
      return {
        open: () => postgres({ url }),
        execute: (statements) => cluster.execute(url, statements),
        bytes: () => cluster.databaseBytes(url)
      }
    },
    stop: cluster.stop
  }
}

export const engines = { SQLite: startSqlite, PostgreSQL: startOwnPostgres } as const
export type EngineName = keyof typeof engines
