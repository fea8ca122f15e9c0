import { Effect, Option, Stream } from "effect"
import { pageSizeOf } from "./OperatorInput.ts"

/** Records that a store reads at a time: SQLite blocks the event loop meanwhile. */
export const pageSize = 200

/** Records in a page of a list whose limit isn't given. */
export const defaultLimit = 50

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

/** All records of an export, page by page. `page` reads those after the last of the page before. */
export const exportPages = <A, E, R>(
  page: (limit: number, last: A | undefined) => Effect.Effect<ReadonlyArray<A>, E, R>
): Stream.Stream<ReadonlyArray<A>, E, R> =>
  Stream.paginate(undefined, (last: A | undefined) =>
    Effect.map(
      // A host that takes pieces at once would otherwise keep the event loop from other work.
      Effect.tap(page(pageSize, last), Effect.yieldNow),
      (found) =>
        [[found], found.length < pageSize ? Option.none() : Option.fromUndefinedOr(found.at(-1))] as const
    )
  )
