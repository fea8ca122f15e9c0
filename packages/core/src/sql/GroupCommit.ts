import { Effect, Queue, Result, type Scope } from "effect"
import { SqlError } from "effect/sql"
import { type Job, type SqliteDatabase, toSqlError } from "./SqliteDatabase.ts"

/** Statements in one commit; bounds how long the event loop is blocked. */
const maxGroup = 256

type Outcome = Result.Result<unknown, SqlError.SqlError>

interface Write {
  readonly job: Job
  readonly resume: (outcome: Outcome) => void
  /** Its caller was interrupted before it ran. */
  withdrawn: boolean
}

/**
 * Commits the statements of concurrent callers together, since a durable commit costs far more than a statement. The
 * statements that arrive during one commit are the next group. Each still succeeds or fails alone, and its caller gets
 * the result only once it is durable.
 */
export interface GroupCommit {
  readonly submit: (job: Job) => Effect.Effect<unknown, SqlError.SqlError>
}

/** Runs one group, in a transaction if it has several statements; throws if the whole group failed. */
const runGroup = (database: SqliteDatabase, group: ReadonlyArray<Write>): ReadonlyArray<Outcome> => {
  if (group.length === 1) return [Result.succeed(database.run(group[0]!.job))]
  database.control("BEGIN IMMEDIATE")
  try {
    const outcomes: Array<Outcome> = []
    for (const { job } of group) {
      try {
        outcomes.push(Result.succeed(database.run(job)))
      } catch (cause) {
        // On a full or failing disk SQLite rolls back the whole transaction.
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
 * Waits for one turn of the event loop, in which callers that just got a result can submit their next statement. A
 * commit takes far longer than that.
 */
const turn = Effect.callback<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/**
 * Commits in groups until the scope closes, when it commits the statements that were submitted. `exclusively` keeps
 * groups and open transactions apart on their one connection.
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
      database.attempt(
        "execute",
        () => {
          group = writes.filter((write) => !write.withdrawn)
          return group.length === 0 ? [] : runGroup(database, group)
        },
        { commits: true }
      )
    ).pipe(
      Effect.match({
        onSuccess: (outcomes) => group.forEach((write, index) => write.resume(outcomes[index]!)),
        onFailure: (error) => writes.forEach((write) => write.resume(Result.fail(error)))
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
          resume: (outcome) => resume(Effect.fromResult(outcome)),
          withdrawn: false
        }
        Queue.offerUnsafe(waiting, write)
        return Effect.sync(() => {
          write.withdrawn = true
        })
      })
  }
})
