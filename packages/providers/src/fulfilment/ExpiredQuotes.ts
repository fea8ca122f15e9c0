import { Clock, Effect } from "effect"

/*
 * Quotes that leave an unpaid order in a shop. They are removed once they have been expired for as long as they were
 * valid, so that they don't fill the shop.
 */

/** Quotes that are removed if they are not bought. Further ones stay in the shop. */
const maxRemembered = 1_000
const removedAtOnce = 3

/** Remembers a quote of this process, and removes some that expired long ago. */
export type RememberQuote = (id: string, createdAtMillis: number) => Effect.Effect<void>

/**
 * Makes the memory of one shop's quotes.
 *
 * @param remove removes the unpaid order of a quote, and leaves a paid one. Its failures are ignored.
 */
export const expiredQuotes = (
  quoteLifetimeMillis: number,
  remove: (id: string) => Effect.Effect<unknown, unknown>
): RememberQuote => {
  /** Oldest first. */
  const open: Array<{ readonly id: string; readonly removedAfter: number }> = []

  const removeExpired = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const expired = open.filter(({ removedAfter }) => removedAfter <= now).slice(0, removedAtOnce)
    open.splice(0, expired.length)
    yield* Effect.forEach(expired, ({ id }) => Effect.ignore(remove(id)))
  })

  return (id, createdAtMillis) =>
    Effect.suspend(() => {
      if (open.length < maxRemembered) {
        open.push({ id, removedAfter: createdAtMillis + 2 * quoteLifetimeMillis })
      }
      return Effect.asVoid(Effect.forkDetach(removeExpired))
    })
}
