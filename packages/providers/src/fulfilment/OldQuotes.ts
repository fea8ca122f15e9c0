import { Clock, Effect } from "effect"

/*
 * Unpaid orders that no process tracks: of earlier processes, those whose creation timed out, and those that couldn't be
 * removed. They are removed once no order is placed as them any more.
 */

const minuteMillis = 60_000
const hourMillis = 60 * minuteMillis
/** A till tries to place an order for a day. The rest is for its operator. */
const placingMillis = 48 * hourMillis

/** Some unpaid orders of quotes, and where the next ones begin; without `next`, these are the last. */
export interface OldQuotes {
  readonly ids: ReadonlyArray<string>
  readonly next?: string | undefined
}

/** Lists unpaid orders of quotes that were created before a time. */
export type ListOldQuotes = (
  createdBeforeMillis: number,
  from: string | undefined
) => Effect.Effect<OldQuotes, unknown>

/**
 * Makes an effect that removes some old quotes: at most once a minute while there are more, else once an hour, and not
 * in the first minute. What fails is tried again then; it counts in the upstream's `usage`.
 */
export const removingOldQuotes = (
  quoteLifetimeMillis: number,
  list: ListOldQuotes,
  remove: (id: string) => Effect.Effect<unknown, unknown>
): Effect.Effect<void> => {
  let from: string | undefined
  let nextAtMillis: number | undefined

  const removeSome = Effect.fnUntraced(function* (now: number) {
    const { ids, next } = yield* list(now - 2 * quoteLifetimeMillis - placingMillis, from)
    yield* Effect.forEach(ids, (id) => Effect.ignore(remove(id)), { discard: true })
    from = next
    if (next === undefined) nextAtMillis = now + hourMillis
  })

  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const isDue = nextAtMillis !== undefined && now >= nextAtMillis
    if (isDue || nextAtMillis === undefined) nextAtMillis = now + minuteMillis
    if (!isDue) return
    yield* Effect.catch(removeSome(now), () =>
      Effect.sync(() => {
        from = undefined
      })
    )
  })
}
