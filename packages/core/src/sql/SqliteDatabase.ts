import { statSync } from "node:fs"
import { resolve } from "node:path"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { Effect, Schedule, type Scope } from "effect"
import { SqlError } from "effect/sql"
import { report } from "../runtime/events.ts"
import { BoundedMap } from "../runtime/BoundedMap.ts"

/** Prepared statements to keep; the stores use fewer. */
const maxStatements = 200
/** How long SQLite itself waits for another process's lock; this blocks the event loop. */
const lockWaitMillis = 10
/** After that the statement is retried for about 5 s, without blocking the event loop. */
const lockRetries = { times: 330, schedule: Schedule.spaced("5 millis") }

const pragmas = [
  // Readers don't wait for writers; commits are durable.
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  // 64 MB, and 8 MB between checkpoints. With 100,000 charges that settles up to a fifth more payments per second;
  // checkpoints of 16 MB would block the event loop twice as long.
  "cache_size = -65536",
  "wal_autocheckpoint = 2000"
]

/** One statement to run. */
export interface Job {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
  /** `rows` by column name, `values` by position, `raw` as node:sqlite returns them. */
  readonly shape: "rows" | "values" | "raw"
  /** Returns integers as `bigint`; otherwise as `number`, where one beyond 2^53 is an error. */
  readonly bigints: boolean
  /** Keeps the prepared statement for the next call. */
  readonly kept: boolean
}

/** An open database. */
export interface SqliteDatabase {
  /** Runs a statement synchronously; throws what node:sqlite throws. */
  readonly run: (job: Job) => unknown
  /** Runs a plain statement without parameters. */
  readonly control: (text: string) => void
  /** Whether a transaction is open. */
  readonly inTransaction: () => boolean
  /**
   * Runs synchronous work as an effect. Retries while another process holds the lock and none of the work was done.
   * Fails if the file is lost; work that `commits` also fails if the file was lost meanwhile.
   */
  readonly attempt: <A>(
    operation: string,
    work: () => A,
    options?: { readonly commits?: boolean }
  ) => Effect.Effect<A, SqlError.SqlError>
}

/** SQLite's extended codes for a duplicate primary key; `classifySqliteError` knows only that of UNIQUE. */
const primaryKeyCodes = new Set([1555, 2579])
const uniqueCode = 2067

/** Maps an error of node:sqlite (its `errcode` is SQLite's extended code) to one of `effect/sql`. */
export const toSqlError = (cause: unknown, operation: string): SqlError.SqlError => {
  const message = cause instanceof Error ? cause.message : String(cause)
  const code = cause instanceof Error && "errcode" in cause ? Number(cause.errcode) : undefined
  const errno = code !== undefined && primaryKeyCodes.has(code) ? uniqueCode : code
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError({ errno, message, cause }, { message, operation })
  })
}

const toInput = (value: unknown): SQLInputValue => {
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Date) return value.getTime()
  return (value ?? null) as SQLInputValue
}

/** The file of an open database was deleted or replaced: what is written would be lost with the process. */
class DatabaseFileLost extends Error {
  override readonly name = "DatabaseFileLost"

  constructor() {
    super("the database file was deleted or replaced while it was open; restore it and restart")
  }
}

/** How often the file is checked for reads: one look costs microseconds, and reads come in thousands per second. */
const fileCheckMillis = 500

/** Returns whether the file was deleted or replaced since, `now` or lately. A database in memory has no file. */
const fileWatch = (filename: string): ((now?: "now") => boolean) => {
  const path = resolve(filename)
  const look = () => statSync(path, { throwIfNoEntry: false })
  const opened = look()
  if (opened === undefined) return () => false
  let isLost = false
  let nextCheckMillis = 0
  return (now) => {
    if (now === undefined && performance.now() < nextCheckMillis) return isLost
    const found = look()
    // The open connection keeps the number of its file: no other file can get it.
    isLost = found?.ino !== opened.ino || found.dev !== opened.dev
    nextCheckMillis = performance.now() + fileCheckMillis
    return isLost
  }
}

const runnerOf = (database: DatabaseSync): SqliteDatabase["run"] => {
  const statements = new BoundedMap<string, StatementSync>(maxStatements)
  const prepare = (text: string): StatementSync => {
    const known = statements.get(text)
    if (known !== undefined) return known
    const statement = database.prepare(text)
    statements.set(text, statement)
    return statement
  }
  return ({ bigints, kept, parameters, shape, text }) => {
    const statement = kept ? prepare(text) : database.prepare(text)
    const inputs = parameters.map(toInput)
    if (shape === "rows" && !bigints) return statement.all(...inputs)
    statement.setReadBigInts(bigints)
    statement.setReturnArrays(shape === "values")
    try {
      return shape === "raw" && statement.columns().length === 0
        ? statement.run(...inputs)
        : statement.all(...inputs)
    } finally {
      statement.setReadBigInts(false)
      statement.setReturnArrays(false)
    }
  }
}

/** Opens a file until the scope closes. Fails with SQLite's error. */
export const open = Effect.fnUntraced(function* (
  filename: string
): Effect.fn.Return<SqliteDatabase, SqlError.SqlError, Scope.Scope> {
  const database = yield* Effect.acquireRelease(
    Effect.try({
      try: () => new DatabaseSync(filename, { timeout: lockWaitMillis }),
      catch: (cause) => toSqlError(cause, "open")
    }),
    (opened) => Effect.sync(() => opened.close())
  )
  const isLost = fileWatch(filename)
  let isReported = false
  const attempt: SqliteDatabase["attempt"] = (operation, work, { commits = false } = {}) => {
    const checked = () => {
      // An open transaction must still be able to end.
      if (!database.isTransaction && isLost()) throw new DatabaseFileLost()
      const result = work()
      // After the commit: a file that is there now was there when it was written.
      if (commits && isLost("now")) throw new DatabaseFileLost()
      return result
    }
    const once = Effect.try({ try: checked, catch: (cause) => toSqlError(cause, operation) })
    const untouched = (error: SqlError.SqlError) =>
      error.reason._tag === "LockTimeoutError" && !database.isTransaction
    return Effect.catch(once, (error) => {
      if (untouched(error)) return Effect.retry(once, { ...lockRetries, while: untouched })
      if (isReported || !isLost()) return Effect.fail(error)
      isReported = true
      return Effect.andThen(
        report(
          "Error",
          "storage_file_lost",
          "The database file was deleted or replaced; nothing more is stored"
        ),
        Effect.fail(error)
      )
    })
  }
  const run = runnerOf(database)
  const control = (text: string) => {
    run({ text, parameters: [], shape: "rows", bigints: false, kept: true })
  }
  yield* attempt("open", () => {
    for (const pragma of pragmas) database.exec(`PRAGMA ${pragma}`)
  })
  return { run, control, attempt, inTransaction: () => database.isTransaction }
})
