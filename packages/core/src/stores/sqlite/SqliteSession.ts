import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { BoundedMap } from "../../runtime/BoundedMap.ts"

/*
 * The connection to a database, and nothing of Effect: a thread that loads this file starts at once.
 */

/** Prepared statements to keep; the stores use fewer. */
const maxStatements = 200
/** How long SQLite itself waits for another process's lock. Other statements wait meanwhile. */
const lockWaitMillis = 10

/** How the stores use a database; each connection sets them first. */
export const pragmas = [
  // Readers don't wait for writers; commits are durable.
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  // 64 MB, and 32 MB between checkpoints: a call writes up to 130 kB, and a checkpoint delays fewer than 1 in 100 calls.
  "cache_size = -65536",
  "wal_autocheckpoint = 8000"
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
  /** Is not flushed to the disk, unless a later statement is; see `MayBeLost`. */
  readonly mayBeLost?: boolean
}

/** A statement that waits to be run. Those that are not part of a transaction are committed in groups. */
export interface Request {
  readonly id: number
  readonly job: Job
  /** It is part of a transaction, or begins or ends one. */
  readonly inTransaction: boolean
}

/** What a statement returned, or why it failed. */
export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: SqliteFailure }

/** An error of SQLite, as it passes from thread to thread. */
export interface SqliteFailure {
  readonly message: string
  /** SQLite's extended code. */
  readonly errcode?: number
}

/** What is known after some requests. */
export interface Replies {
  readonly replies: ReadonlyArray<Reply>
  /** Whether a transaction is open. */
  readonly inTransaction: boolean
}

/** An open database. */
export interface SqliteSession {
  /**
   * Runs requests, those that are not part of a transaction in one commit. Returns once all that they changed is
   * durable, except in an open transaction.
   */
  readonly run: (requests: ReadonlyArray<Request>) => Replies
  readonly close: () => void
}

/** The parts of an error that another thread can read. */
export const failureOf = (error: unknown): SqliteFailure => ({
  message: error instanceof Error ? error.message : String(error),
  ...(error instanceof Error && "errcode" in error && { errcode: Number(error.errcode) })
})

const toInput = (value: unknown): SQLInputValue => {
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Date) return value.getTime()
  return (value ?? null) as SQLInputValue
}

const runnerOf = (database: DatabaseSync): ((job: Job) => unknown) => {
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

/** A plain statement without parameters. */
export const control = (text: string): Job => ({
  text,
  parameters: [],
  shape: "rows",
  bigints: false,
  kept: true
})
const begin = control("BEGIN IMMEDIATE")
const commit = control("COMMIT")
const rollback = control("ROLLBACK")

const changesRows = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE|WITH\b[^]*\b(?:INSERT|UPDATE|DELETE))\b/i

const isWrite = ({ inTransaction, job }: Request): boolean => !inTransaction && changesRows.test(job.text)

/** SQLITE_BUSY, the primary code in the low byte: another connection holds the lock. */
const isLocked = (reply: Reply): reply is Extract<Reply, { readonly failure: SqliteFailure }> =>
  "failure" in reply && ((reply.failure.errcode ?? 0) & 0xff) === 5

/** Where the group ends that starts at `from`: a write, and what follows it outside of transactions. */
const groupEnd = (requests: ReadonlyArray<Request>, from: number): number => {
  if (!isWrite(requests[from]!)) return from + 1
  const end = requests.findIndex(({ inTransaction }, index) => index > from && inTransaction)
  return end === -1 ? requests.length : end
}

/** Opens a file, or a database in memory. Throws what node:sqlite throws. */
export const openSession = (filename: string): SqliteSession => {
  const database = new DatabaseSync(filename, { timeout: lockWaitMillis })
  const run = runnerOf(database)

  let flushes = true
  /** Whether commits are flushed. A flush takes along all commits before it. */
  const setFlushes = (value: boolean) => {
    if (value !== flushes) database.exec(`PRAGMA synchronous = ${value ? "FULL" : "NORMAL"}`)
    flushes = value
  }

  const alone = ({ id, job }: Request): Reply => {
    try {
      if (!database.isTransaction) setFlushes(job.mayBeLost !== true)
      return { id, value: run(job) }
    } catch (error) {
      return { id, failure: failureOf(error) }
    }
  }

  /** Reads alone, which need no lock; writes fail. */
  const withoutWrites = (group: ReadonlyArray<Request>, failure: SqliteFailure): ReadonlyArray<Reply> =>
    group.map((request) => (isWrite(request) ? { id: request.id, failure } : alone(request)))

  /** Commits a group together; a statement that fails undoes itself alone. */
  const together = (group: ReadonlyArray<Request>): ReadonlyArray<Reply> => {
    try {
      setFlushes(group.some((request) => isWrite(request) && request.job.mayBeLost !== true))
      run(begin)
      const replies: Array<Reply> = []
      for (const { id, job } of group) {
        try {
          replies.push({ id, value: run(job) })
        } catch (error) {
          // On a full or failing disk SQLite rolls back the whole transaction.
          if (!database.isTransaction) throw error
          replies.push({ id, failure: failureOf(error) })
        }
      }
      run(commit)
      return replies
    } catch (error) {
      if (database.isTransaction) run(rollback)
      // The results of its reads were not sent.
      return withoutWrites(group, failureOf(error))
    }
  }

  const runGroup = (group: ReadonlyArray<Request>): ReadonlyArray<Reply> =>
    group.length === 1 ? group.map(alone) : together(group)

  return {
    run: (requests) => {
      const replies: Array<Reply> = []
      // Once one write has waited for the lock in vain, the others fail at once, since each is retried; reads go on.
      let locked: SqliteFailure | undefined
      for (let from = 0, until = 0; from < requests.length; from = until) {
        until = groupEnd(requests, from)
        const group = requests.slice(from, until)
        const replied = locked === undefined ? runGroup(group) : withoutWrites(group, locked)
        locked ??= replied.find(isLocked)?.failure
        replies.push(...replied)
      }
      return { replies, inTransaction: database.isTransaction }
    },
    close: () => database.close()
  }
}
