import { Effect } from "effect"
import { pageSizeOf } from "./OperatorInput.ts"

/** Records that a store reads at a time: SQLite blocks the event loop meanwhile. */
const pageSize = 200

/** Charges that are read to find what they paid for: hardly more than the page, since most match. */
export const paidPageSize = (limit: number): number => Math.min(pageSize, Math.max(20, limit))

/**
 * Lists up to `limit` records in pages, and lets other work go on between two. `page` reads the records after the last
 * of the page before. Any limit but a whole number above 0 is a defect of the host.
 */
export const listInPages = Effect.fnUntraced(function* <A extends Last, E, R, Last = A>(
  limit: number,
  page: (limit: number, last: Last | undefined) => Effect.Effect<ReadonlyArray<A>, E, R>
): Effect.fn.Return<ReadonlyArray<A>, E, R> {
  const total = yield* pageSizeOf(limit)
  if (total <= pageSize) return yield* page(total, undefined)
  const listed: Array<A> = []
  for (;;) {
    const size = Math.min(pageSize, total - listed.length)
    const found = yield* page(size, listed.at(-1))
    listed.push(...found)
    if (found.length < size || listed.length >= total) return listed
    yield* Effect.yieldNow
  }
})
