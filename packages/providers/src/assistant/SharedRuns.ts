import { BoundedMap } from "@till402/core/effect"
import { Clock, Deferred, Effect, Exit } from "effect"

/*
 * Identical requests in a short window share one run.
 */

/** Runs kept at a time. */
const capacity = 1_000

interface SharedRun<A, E> {
  readonly deferred: Deferred.Deferred<A, E>
  readonly untilMillis: number
}

/**
 * Shares runs by key for `windowMillis` after they begin, and while they are under way. A failed run is not kept. A run
 * goes on if its first caller leaves, since others may wait for it: it must have a deadline of its own.
 */
export const makeSharedRuns = <A, E>(
  windowMillis: number
): ((key: string, run: Effect.Effect<A, E>) => Effect.Effect<A, E>) => {
  if (windowMillis === 0) return (_, run) => run
  const runs = new BoundedMap<string, SharedRun<A, E>>(capacity)
  return (key, run) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const known = runs.get(key)
      if (known !== undefined && (known.untilMillis > now || !(yield* Deferred.isDone(known.deferred)))) {
        return yield* Deferred.await(known.deferred)
      }
      const shared: SharedRun<A, E> = {
        deferred: Deferred.makeUnsafe<A, E>(),
        untilMillis: now + windowMillis
      }
      runs.set(key, shared)
      yield* Effect.forkDetach(
        Effect.flatMap(Effect.exit(run), (exit) => {
          if (Exit.isFailure(exit) && runs.get(key) === shared) runs.delete(key)
          return Deferred.done(shared.deferred, exit)
        })
      )
      return yield* Deferred.await(shared.deferred)
    })
}
