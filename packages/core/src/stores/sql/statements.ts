import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { StoreError } from "../../domain/Errors.ts"

/** Turns a failed statement, or a row that can't be read, into a `StoreError` that names the method. */
export const storing = <A, E>(
  operation: string,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, StoreError> => {
  const failed = (cause: unknown) => Effect.fail(new StoreError({ operation, cause }))
  return effect.pipe(Effect.catch(failed), Effect.catchDefect(failed))
}

/** Whether a statement changed any row; it must return those it changed. */
export const tookEffect = <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<boolean, E> =>
  Effect.map(rows, ({ length }) => length > 0)

/** A row with a count, which PostgreSQL returns as text. */
export interface CountRow {
  readonly count: number | string
}

export const countOf = <E>(rows: Effect.Effect<ReadonlyArray<CountRow>, E>): Effect.Effect<number, E> =>
  Effect.map(rows, ([row]) => Number(row!.count))

/** The earliest due time in a table with an index of those. */
export const earliestDueOf = (sql: SqlClient.SqlClient, table: string) =>
  Effect.map(
    sql<{ readonly due_at: number | string | null }>`
      SELECT MIN(due_at) AS due_at FROM ${sql(table)} WHERE due_at IS NOT NULL`,
    ([row]) => (row?.due_at == null ? undefined : Number(row.due_at))
  )

/**
 * Ends a selection of rows that a statement changes together, on PostgreSQL: two of them would wait for each other's rows,
 * or end in a deadlock, since each locks them in an order of its own. SQLite has one writer at a time.
 */
export const skippingLocked = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql`FOR UPDATE SKIP LOCKED`, orElse: () => sql`` })

/** Whether a fingerprint is under a key. Not `LIKE`: ids of keys may contain `_`. */
export const isUnderKey = (sql: SqlClient.SqlClient, keyId: string) =>
  sql`substr(fingerprint, 1, ${keyId.length + 1}) = ${`${keyId}:`}`

const maxAttempts = 100

/**
 * Repeats a statement until it is decided: one that met a row which was gone when it was read. Each round means that a
 * concurrent statement succeeded, so a hundred rounds mean a fault.
 */
export const untilDecided = <A, E>(
  attempt: Effect.Effect<A | undefined, E>,
  attempts = maxAttempts
): Effect.Effect<A, E | Error> =>
  Effect.flatMap(attempt, (outcome): Effect.Effect<A, E | Error> => {
    if (outcome !== undefined) return Effect.succeed(outcome)
    return attempts > 1
      ? untilDecided(attempt, attempts - 1)
      : Effect.fail(new Error(`undecided after ${maxAttempts} attempts`))
  })
