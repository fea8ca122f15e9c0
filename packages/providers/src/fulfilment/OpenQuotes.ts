import type { TemporarilyUnavailable } from "@till402/core"
import { BoundedMap } from "@till402/core/effect"
import { Clock, Effect } from "effect"
import { KeyedMutex } from "./KeyedMutex.ts"
import { type ListOldQuotes, removingOldQuotes } from "./OldQuotes.ts"
import { QuotePlaces } from "./QuotePlaces.ts"

/*
 * Quotes of this process, each an unpaid order or a draft in the shop. It is deleted once it has been expired for as
 * long as it was valid, unless an order was to be placed as it. Anybody can request a quote, so their number is bounded:
 * an order that is not tracked would stay, and many would bury the shop's own.
 */

const removedAtOnce = 3
/** References of placements that are remembered; the oldest are forgotten. */
const maxKept = 25_000

/** The quotes of one shop. */
export interface OpenQuotes {
  /**
   * Creates the unpaid order of a quote and tracks it. Each call also removes some that expired long ago. `client` is
   * that of the request for the quote.
   */
  readonly track: <A extends { readonly id: string | number }, E>(
    create: Effect.Effect<A, E>,
    client: string | undefined
  ) => Effect.Effect<A, E | TemporarilyUnavailable>
  /** Changes the order of a quote, which is not removed any more. One change after the other. */
  readonly change: <A, E>(reference: string, change: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Bounds of a shop's unpaid quotes. */
export interface OpenQuotesSettings {
  readonly quoteLifetimeMillis: number
  readonly maxOpenQuotes: number
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
 * Makes the memory of one shop's quotes. Fails with `TemporarilyUnavailable` instead of creating an order for which there
 * is no place.
 */
export const openQuotes = (
  { maxOpenQuotes, quoteLifetimeMillis }: OpenQuotesSettings,
  { listOld, remove, removeOld }: UnpaidOrders
): OpenQuotes => {
  const places = new QuotePlaces(maxOpenQuotes)
  const kept = new BoundedMap<string, true>(maxKept)
  const oneAtATime = new KeyedMutex()

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
        places.free(reference)
        return oneAtATime.enter(reference, change)
      }),
    track: Effect.fnUntraced(function* (create, client) {
      const now = yield* Clock.currentTimeMillis
      const expired = places.freeExpired(now, removedAtOnce)
      const removing = Effect.forEach(expired, ({ id }) => removeUnlessKept(id))
      yield* Effect.forkDetach(Effect.andThen(removing, removeOldOnes))
      const refused = places.take(client, now)
      if (refused !== undefined) return yield* refused
      const order = yield* Effect.onError(create, () => Effect.sync(() => places.giveBack(client)))
      const createdAtMillis = yield* Clock.currentTimeMillis
      places.hold({ id: `${order.id}`, client, removedAfter: createdAtMillis + 2 * quoteLifetimeMillis })
      return order
    })
  }
}
