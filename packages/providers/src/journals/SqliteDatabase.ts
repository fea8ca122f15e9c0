import { setTimeout as sleep } from "node:timers/promises"
import { DatabaseSync } from "node:sqlite"
import { ConfigurationError } from "@till402/core"
import { type Database, once, type Row, tables } from "./Database.ts"

/** How long SQLite itself waits for another process's lock: the event loop stands still meanwhile. */
const lockWaitMillis = 10
/** How long a lock is waited for in all, without standing in anybody's way. */
const patienceMillis = 5_000
const pauseMillis = 5

/** SQLITE_BUSY and SQLITE_LOCKED, the primary code in the low byte of `errcode`. */
const isLocked = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && [5, 6].includes(Number(error.errcode) & 0xff)

/** Runs synchronous work; where somebody else holds the lock, later again. */
const patiently = async <A>(work: () => A): Promise<A> => {
  const until = performance.now() + patienceMillis
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
 * A file of SQLite's, on Node's own. Each statement is a transaction of its own, and on the disk (`synchronous = FULL`)
 * when it resolves.
 *
 * @throws ConfigurationError where the file can't be opened.
 */
export const openSqlite = (filename: string): Database => {
  if (filename.trim() === "")
    throw new ConfigurationError({ message: "journals: filename must not be empty" })
  const file = openFile(filename)
  const ready = once(async () => {
    // Readers don't wait for writers; what is committed is on the disk.
    for (const text of ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", ...tables]) {
      await patiently(() => file.exec(text))
    }
  })
  return {
    run: async (text, values) => {
      await ready()
      // `$1` is a name to SQLite, and `?1` a number.
      const numbered = text.replace(/\$(\d+)/g, "?$1")
      return await patiently(() => file.prepare(numbered).all(...values) as ReadonlyArray<Row>)
    },
    close: async () => {
      if (file.isOpen) file.close()
    }
  }
}
