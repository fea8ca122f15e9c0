import { Effect, Queue, Result, type Scope } from "effect"
import { SqlError } from "effect/sql"
import { type Job, type SqliteDatabase, toSqlError } from "./SqliteDatabase.ts"

/** Statements that one commit makes durable at most: bounds how long the event loop stands still. */
const maxGroup = 256

type Outcome = Result.Result<unknown, SqlError.SqlError>

interface Write {
  readonly job: Job
  readonly answer: (outcome: Outcome) => void
  /** Nobody waits for it any more and it has not been run. */
  withdrawn: boolean
}

/**
 * Group commit. A commit that reaches the disk costs far more than the statement in it, so statements
 * of concurrent callers share one: whatever has come in while the last group was being written is the
 * next group. Each is still a step of its own (one that fails undoes itself alone), and each caller is
 * answered only once its statement is durable.
 */
export interface GroupCommit {
  readonly submit: (job: Job) => Effect.Effect<unknown, SqlError.SqlError>
}

/** Runs one group, in one transaction where it has more than one statement; throws if all of it came to nothing. */
const runGroup = (database: SqliteDatabase, group: ReadonlyArray<Write>): ReadonlyArray<Outcome> => {
  if (group.length === 1) return [Result.succeed(database.run(group[0]!.job))]
  database.control("BEGIN IMMEDIATE")
  try {
    const outcomes: Array<Outcome> = []
    for (const { job } of group) {
      try {
        outcomes.push(Result.succeed(database.run(job)))
      } catch (cause) {
        // On a full disk or a failing one SQLite rolls back everything, not this statement alone.
        if (!database.inTransaction()) throw cause
        outcomes.push(Result.fail(toSqlError(cause, "execute")))
      }
    }
    database.control("COMMIT")
    return outcomes
  } finally {
    if (database.inTransaction()) database.control("ROLLBACK")
  }
}

const closed = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({
    message: "the database is closed",
    operation: "execute",
    cause: new Error("the database is closed")
  })
})

/**
 * Lets the event loop go round once. Callers whose last statement was answered just now hand in their
 * next one meanwhile: a commit takes far longer than that, and is worth waiting for them.
 */
const turn = Effect.callback<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/**
 * Starts committing in groups for as long as the scope lives; what was handed in is committed before it
 * ends. `exclusively` keeps groups and open transactions apart on their one connection.
 */
export const make = Effect.fnUntraced(function* (
  database: SqliteDatabase,
  exclusively: <A>(effect: Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A, SqlError.SqlError>
): Effect.fn.Return<GroupCommit, never, Scope.Scope> {
  const waiting = yield* Queue.unbounded<Write>()
  let open = true

  const commit = (writes: ReadonlyArray<Write>) => {
    let group: ReadonlyArray<Write> = []
    return exclusively(
      database.attempt("execute", () => {
        group = writes.filter((write) => !write.withdrawn)
        return group.length === 0 ? [] : runGroup(database, group)
      })
    ).pipe(
      Effect.match({
        onSuccess: (outcomes) => group.forEach((write, index) => write.answer(outcomes[index]!)),
        onFailure: (error) => writes.forEach((write) => write.answer(Result.fail(error)))
      })
    )
  }

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      open = false
      return Effect.flatMap(Queue.clear(waiting), commit)
    })
  )
  const next = Effect.flatMap(Queue.peek(waiting), () =>
    Effect.andThen(turn, Queue.takeBetween(waiting, 1, maxGroup))
  )
  yield* Effect.uninterruptibleMask((restore) => Effect.flatMap(restore(next), commit)).pipe(
    Effect.forever,
    Effect.forkScoped
  )

  return {
    submit: (job) =>
      Effect.callback((resume) => {
        if (!open) return resume(Effect.fail(closed))
        const write: Write = {
          job,
          answer: (outcome) => resume(Effect.fromResult(outcome)),
          withdrawn: false
        }
        Queue.offerUnsafe(waiting, write)
        return Effect.sync(() => {
          write.withdrawn = true
        })
      })
  }
})
