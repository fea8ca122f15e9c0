import { TemporarilyUnavailable } from "@till402/core"
import { BoundedMap } from "@till402/core/effect"
import { Clock, Effect } from "effect"
import { KeyedMutex } from "./KeyedMutex.ts"
import { type ListOldQuotes, removingOldQuotes } from "./OldQuotes.ts"

/*
 * Quotes of this process, each an unpaid order or a draft in the shop. It is deleted once it has been expired for as
 * long as it was valid, unless an order was to be placed as it. Anybody can request a quote, so their number is bounded:
 * an order that is not tracked would stay.
 */

/**
 * More than all clients get by default within two default lifetimes: 600 a minute. So the budget of quotes, which
 * reserves a share for newcomers, ends before this does.
 */
const maxTracked = 25_000
const removedAtOnce = 3
/** References of placements that are remembered; the oldest are forgotten. */
const maxKept = 25_000

/** The quotes of one shop. */
export interface OpenQuotes {
  /** Creates the unpaid order of a quote and tracks it. Each call also removes some that expired long ago. */
  readonly track: <A extends { readonly id: string | number }, E>(
    create: Effect.Effect<A, E>
  ) => Effect.Effect<A, E | TemporarilyUnavailable>
  /** Changes the order of a quote, which is not removed any more. One change after the other. */
  readonly change: <A, E>(reference: string, change: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** The unpaid orders of a shop. */
export interface UnpaidOrders {
  /** Removes the unpaid order of a quote, and leaves a paid one. If it fails, the order is removed once it is old. */
  readonly remove: (id: string) => Effect.Effect<unknown, unknown>
  readonly listOld: ListOldQuotes
  /** Removes an old unpaid order, even if an order was to be placed as it. */
  readonly removeOld: (id: string) => Effect.Effect<unknown, unknown>
}

/**
 * Makes the memory of one shop's quotes. Fails with `TemporarilyUnavailable` instead of creating an order that can't
 * be tracked.
 */
export const openQuotes = (
  quoteLifetimeMillis: number,
  { listOld, remove, removeOld }: UnpaidOrders
): OpenQuotes => {
  /** Oldest first. */
  const open: Array<{ readonly id: string; readonly removedAfter: number }> = []
  const kept = new BoundedMap<string, true>(maxKept)
  const oneAtATime = new KeyedMutex()
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

  const removeUnlessKept = (id: string): Effect.Effect<void> =>
    oneAtATime.enter(
      id,
      Effect.suspend(() => (kept.get(id) === true ? Effect.void : Effect.ignore(remove(id))))
    )

  const removeOldOnes = removingOldQuotes(quoteLifetimeMillis, listOld, (id) =>
    oneAtATime.enter(id, removeOld(id))
  )

  return {
    change: (reference, change) =>
      Effect.suspend(() => {
        kept.set(reference, true)
        return oneAtATime.enter(reference, change)
      }),
    track: Effect.fnUntraced(function* (create) {
      const now = yield* Clock.currentTimeMillis
      const expired = takeExpired(now)
      const removing = Effect.forEach(expired, ({ id }) => removeUnlessKept(id))
      yield* Effect.forkDetach(Effect.andThen(removing, removeOldOnes))
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
}
