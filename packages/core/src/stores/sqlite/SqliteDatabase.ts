import { Effect, Schedule, type Scope } from "effect"
import { SqlError } from "effect/sql"
import { report } from "../../runtime/events.ts"
import {
  control,
  failureOf,
  type Job,
  pragmas,
  type Replies,
  type Request,
  type SqliteFailure
} from "./SqliteSession.ts"
import { onEventLoop, onThread, OpenFailure, type SqliteThread } from "./SqliteThread.ts"

/** How a statement is retried while another process holds the lock. */
const lockRetries = Schedule.upTo(Schedule.spaced("5 millis"), { duration: "5 seconds" })

/** An open database. */
export interface SqliteDatabase {
  /**
   * Runs a statement. Concurrent ones are committed together, since a durable commit costs far more than a statement.
   * Each succeeds or fails alone, once it is durable. Waits while a transaction is open.
   */
  readonly run: (job: Job) => Effect.Effect<unknown, SqlError.SqlError>
  /** Runs a statement of a transaction. */
  readonly runInTransaction: (job: Job) => Effect.Effect<unknown, SqlError.SqlError>
  /** Lets other statements wait until the scope closes. One scope at a time. */
  readonly exclusive: Effect.Effect<void, never, Scope.Scope>
  /** Whether a transaction is open. */
  readonly inTransaction: () => boolean
}

/** SQLite's extended codes for a duplicate primary key; `classifySqliteError` knows only that of UNIQUE. */
const primaryKeyCodes = new Set([1555, 2579])
const uniqueCode = 2067

/** Maps a failure of SQLite to an error of `effect/sql`. */
const toSqlError = ({ errcode, message }: SqliteFailure, operation: string): SqlError.SqlError => {
  const errno = errcode !== undefined && primaryKeyCodes.has(errcode) ? uniqueCode : errcode
  const cause = Object.assign(new Error(message), { errcode })
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError({ errno, message, cause }, { message, operation })
  })
}

const failed = (failure: SqliteFailure): Effect.Effect<never, SqlError.SqlError> =>
  Effect.fail(toSqlError(failure, "execute"))

const unusable = (message: string): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ message, operation: "execute", cause: new Error(message) })
  })

type Resume = (outcome: Effect.Effect<unknown, SqlError.SqlError>) => void

/**
 * What waits for a reply, emptied when it is taken: the tables that a `Map` outgrows refer to each other, so what stays
 * in one of them survives until the next full garbage collection, and makes the others slow.
 */
interface Waiting {
  resume: Resume | undefined
}

/** `setup`: sets how the connection is used, before anything else runs on it. */
type Kind = "single" | "transaction" | "setup"

/** The statements that wait for their reply, or for the end of a transaction. */
class Statements {
  inTransaction = false
  thread: SqliteThread | undefined
  private readonly running = new Map<number, Waiting>()
  private readonly held = new Map<Request, Resume>()
  private isHolding = false
  /** The transaction that holds the others was open when the thread ended: the rest of it must not run in the next one. */
  private isTransactionLost = false
  private unusableBecause: string | undefined = "the database isn't open yet"
  private lastId = 0

  readonly onReplies = (replied: Replies): void => {
    this.inTransaction = replied.inTransaction
    for (const reply of replied.replies) {
      this.take(reply.id)?.("failure" in reply ? failed(reply.failure) : Effect.succeed(reply.value))
    }
  }

  readonly onEnd = (because: string): void => {
    const reason = (this.unusableBecause ??= because)
    this.inTransaction = false
    this.isTransactionLost = this.isHolding
    const resumes = [...Array.from(this.running.keys(), (id) => this.take(id)!), ...this.held.values()]
    this.held.clear()
    for (const resume of resumes) resume(Effect.fail(unusable(reason)))
  }

  /** Accepts statements: the connection is set up. */
  begin(): void {
    this.unusableBecause = undefined
  }

  private refusal(kind: Kind): string | undefined {
    if (kind === "setup") return undefined
    return kind === "transaction" && this.isTransactionLost
      ? (this.unusableBecause ?? "its thread ended within the transaction")
      : this.unusableBecause
  }

  submit(job: Job, kind: Kind): Effect.Effect<unknown, SqlError.SqlError> {
    return Effect.callback((resume) => {
      const refusal = this.refusal(kind)
      if (refusal !== undefined) return resume(Effect.fail(unusable(refusal)))
      const request = { id: ++this.lastId, job, inTransaction: kind === "transaction" }
      if (this.isHolding && kind === "single") this.held.set(request, resume)
      else this.post(request, resume)
      // What was posted runs, though nobody waits for it.
      return Effect.sync(() => {
        this.held.delete(request)
        this.take(request.id)
      })
    })
  }

  /** Removes a running statement. */
  private take(id: number): Resume | undefined {
    const waiting = this.running.get(id)
    if (waiting === undefined) return undefined
    this.running.delete(id)
    const { resume } = waiting
    waiting.resume = undefined
    return resume
  }

  hold(): void {
    this.isHolding = true
  }

  release(): void {
    this.isHolding = false
    this.isTransactionLost = false
    const held = [...this.held]
    this.held.clear()
    for (const [request, resume] of held) this.post(request, resume)
  }

  async close(): Promise<void> {
    this.unusableBecause ??= "the database is closed"
    await this.thread?.close()
  }

  private post(request: Request, resume: Resume): void {
    try {
      this.thread?.post(request)
      this.running.set(request.id, { resume })
    } catch (error) {
      // A parameter that no other thread can read.
      resume(failed(failureOf(error)))
    }
  }
}

/** Only the thread that opened it sees a database that SQLite keeps in memory. */
export const isInMemory = (filename: string): boolean =>
  /^(?:file:)?:memory:|^file:.*[?&](?:mode=memory|vfs=memdb)(?:&|$)/.test(filename)

const openFailed = (cause: unknown): SqlError.SqlError =>
  toSqlError(cause instanceof OpenFailure ? cause.failure : failureOf(cause), "open")

const openThread = (
  filename: string,
  statements: Statements
): Effect.Effect<SqliteThread, SqlError.SqlError> => {
  const here = Effect.try({ try: () => onEventLoop(filename, statements), catch: openFailed })
  if (isInMemory(filename)) return here
  return Effect.tryPromise({ try: () => onThread(filename, statements), catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      cause instanceof OpenFailure
        ? Effect.fail(openFailed(cause))
        : Effect.andThen(
            report(
              "Warn",
              "storage_on_event_loop",
              `SQLite has no thread of its own, so a slow disk blocks the server (${failureOf(cause).message}). If the server is bundled, leave @till402/core out of the bundle`
            ),
            here
          )
    )
  )
}

/** After a thread has ended, and between attempts to start the next one. */
const restartMillis = 500

/** Runs a statement, and again while another process holds the lock. */
const runOn = (statements: Statements, job: Job, kind: Kind): Effect.Effect<unknown, SqlError.SqlError> => {
  const once = statements.submit(job, kind)
  // In an open transaction, the statements before it would be tried again too.
  const isUntouched = ({ reason }: SqlError.SqlError) =>
    reason._tag === "LockTimeoutError" && !(kind === "transaction" && statements.inTransaction)
  return Effect.catch(once, (error) =>
    isUntouched(error)
      ? Effect.retry(once, { schedule: lockRetries, while: isUntouched })
      : Effect.fail(error)
  )
}

/** Starts the thread again each time that it ends by itself. */
const keepOpen = Effect.fnUntraced(function* (
  statements: Statements,
  start: Effect.Effect<SqliteThread, SqlError.SqlError>
): Effect.fn.Return<never> {
  for (let thread = statements.thread!; ;) {
    const reason = yield* Effect.promise(() => thread.ended)
    yield* report(
      "Error",
      "storage_thread_ended",
      `The thread of the SQLite file ended by itself (${reason}) and is started again. What ran in it failed; calls get STORAGE_UNAVAILABLE until it runs`
    )
    yield* Effect.sleep(restartMillis)
    thread = yield* Effect.retry(start, Schedule.spaced(restartMillis)).pipe(Effect.orDie)
  }
})

/**
 * Opens a database until the scope closes, which runs what was submitted first. Fails with SQLite's error. A thread that
 * ends by itself fails what runs, and is started again.
 */
export const open = Effect.fnUntraced(function* (
  filename: string
): Effect.fn.Return<SqliteDatabase, SqlError.SqlError, Scope.Scope> {
  const statements = new Statements()
  const startThread = Effect.map(
    openThread(filename, statements),
    (thread) => (statements.thread = thread)
  ).pipe(Effect.uninterruptible)
  const setUp = Effect.gen(function* () {
    for (const pragma of pragmas) yield* runOn(statements, control(`PRAGMA ${pragma}`), "setup")
    statements.begin()
  })
  yield* Effect.acquireRelease(startThread, () => Effect.promise(() => statements.close()))
  yield* setUp
  const start = Effect.tap(startThread, (thread) =>
    Effect.tapError(setUp, () => Effect.promise(() => thread.close()))
  )
  yield* Effect.forkScoped(keepOpen(statements, start))
  return {
    run: (job) => runOn(statements, job, "single"),
    runInTransaction: (job) => runOn(statements, job, "transaction"),
    exclusive: Effect.acquireRelease(
      Effect.sync(() => statements.hold()),
      () => Effect.sync(() => statements.release())
    ),
    inTransaction: () => statements.inTransaction
  }
})
