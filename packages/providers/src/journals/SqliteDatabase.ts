import { setTimeout as sleep } from "node:timers/promises"
import { DatabaseSync } from "node:sqlite"
import { ConfigurationError } from "@till402/core"
import { type Database, once, type Row, tables } from "./Database.ts"

/** How long SQLite itself waits for another process's lock, which blocks the event loop. */
const lockWaitMillis = 10
/** Total time to wait for a lock, without blocking the event loop. */
const maxWaitMillis = 5_000
const pauseMillis = 5

/** SQLITE_BUSY and SQLITE_LOCKED, the primary code in the low byte of `errcode`. */
const isLocked = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && [5, 6].includes(Number(error.errcode) & 0xff)

/** Runs synchronous work, and retries it while another process holds the lock. */
const withLockRetry = async <A>(work: () => A): Promise<A> => {
  const until = performance.now() + maxWaitMillis
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isLocked(error) || performance.now() >= until) throw error
    }
    await sleep(pauseMillis)
  }
}

const openFile = (filename: string): DatabaseSync => {
  try {
    return new DatabaseSync(filename, { timeout: lockWaitMillis })
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError({ message: `journals: ${filename} can't be opened: ${words}` })
  }
}

/**
 * Opens an SQLite file with Node's own SQLite. Each statement is its own transaction, on disk (`synchronous = FULL`)
 * when it resolves.
 *
 * @throws ConfigurationError if the file can't be opened
 */
export const openSqlite = (filename: string): Database => {
  if (filename.trim() === "")
    throw new ConfigurationError({ message: "journals: filename must not be empty" })
  const file = openFile(filename)
  const ready = once(async () => {
    // Readers don't wait for writers, and a commit is on disk.
    for (const text of ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", ...tables]) {
      await withLockRetry(() => file.exec(text))
    }
  })
  return {
    run: async (text, values) => {
      await ready()
      // SQLite's numbered parameters are written `?1`.
      const numbered = text.replace(/\$(\d+)/g, "?$1")
      return await withLockRetry(() => file.prepare(numbered).all(...values) as ReadonlyArray<Row>)
    },
    close: async () => {
      if (file.isOpen) file.close()
    }
  }
}
