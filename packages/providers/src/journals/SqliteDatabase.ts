import { statSync } from "node:fs"
import { resolve } from "node:path"
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

/** Fails once the file of an open database was deleted or replaced: what is written then is lost with the process. */
const fileCheck = (filename: string): (() => void) => {
  const path = resolve(filename)
  const look = () => statSync(path, { throwIfNoEntry: false })
  const opened = look()
  return () => {
    // A database in memory has no file.
    if (opened === undefined) return
    const found = look()
    if (found?.ino !== opened.ino || found.dev !== opened.dev) {
      throw new Error(
        "the file of the journals was deleted or replaced while it was open; restore it and restart"
      )
    }
  }
}

/**
 * Opens an SQLite file with Node's own SQLite. Each statement is its own transaction, on disk (`synchronous = FULL`)
 * when it resolves. It rejects if the file was deleted.
 *
 * @throws ConfigurationError if the file can't be opened
 */
export const openSqlite = (filename: string): Database => {
  if (filename.trim() === "")
    throw new ConfigurationError({ message: "journals: filename must not be empty" })
  const file = openFile(filename)
  const assertFile = fileCheck(filename)
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
      const rows = await withLockRetry(() => file.prepare(numbered).all(...values) as ReadonlyArray<Row>)
      // After the commit: a file that is there now was there when it was written.
      assertFile()
      return rows
    },
    close: async () => {
      if (file.isOpen) file.close()
    }
  }
}
