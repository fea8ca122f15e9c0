import { TemporarilyUnavailable } from "@till402/core"
import { Clock, Effect } from "effect"

/*
 * Quotes of this process, each an unpaid order or a draft in the shop. It is deleted once it has been expired for as
 * long as it was valid. Anybody can request a quote, so their number is bounded: an order that is not tracked would stay.
 */

/** More than one client gets by default within two default lifetimes, so a single client doesn't block the others. */
const maxTracked = 5_000
const removedAtOnce = 3

/** Creates the unpaid order of a quote and tracks it. Each call also removes some orders that expired long ago. */
export type TrackQuote = <A extends { readonly id: string | number }, E>(
  create: Effect.Effect<A, E>
) => Effect.Effect<A, E | TemporarilyUnavailable>

/**
 * Makes the memory of one shop's quotes. Fails with `TemporarilyUnavailable` instead of creating an order that can't
 * be tracked.
 *
 * @param remove removes the unpaid order of a quote, and leaves a paid one. Its failures are ignored.
 */
export const openQuotes = (
  quoteLifetimeMillis: number,
  remove: (id: string) => Effect.Effect<unknown, unknown>
): TrackQuote => {
  /** Oldest first. */
  const open: Array<{ readonly id: string; readonly removedAfter: number }> = []
  let creating = 0

  const takeExpired = (now: number): ReadonlyArray<{ readonly id: string }> => {
    const first = open.slice(0, removedAtOnce)
    const firstKept = first.findIndex(({ removedAfter }) => removedAfter > now)
    return open.splice(0, firstKept === -1 ? first.length : firstKept)
  }

  const secondsUntilRoom = (now: number): number => {
    const [oldest] = open
    return oldest === undefined ? 1 : Math.max(1, Math.ceil((oldest.removedAfter - now) / 1_000))
  }

  return Effect.fnUntraced(function* (create) {
    const now = yield* Clock.currentTimeMillis
    const expired = takeExpired(now)
    yield* Effect.forkDetach(Effect.forEach(expired, ({ id }) => Effect.ignore(remove(id))))
    if (open.length + creating >= maxTracked) {
      return yield* new TemporarilyUnavailable({
        message: "The shop has too many unpaid quotes. Nothing was ordered. Request the quote again later.",
        retryAfterSeconds: secondsUntilRoom(now)
      })
    }
    creating += 1
    const order = yield* Effect.ensuring(
      create,
      Effect.sync(() => (creating -= 1))
    )
    const createdAtMillis = yield* Clock.currentTimeMillis
    open.push({ id: `${order.id}`, removedAfter: createdAtMillis + 2 * quoteLifetimeMillis })
    return order
  })
}
