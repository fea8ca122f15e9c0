import { Clock, Effect, Semaphore } from "effect"

/** Reads a value at most once in `keptMillis`, for all concurrent callers. A failure is not kept. */
export const recentRead = <A, E>(read: Effect.Effect<A, E>, keptMillis: number): Effect.Effect<A, E> => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  let known: { readonly value: A; readonly atMillis: number } | undefined
  return oneAtATime.withPermit(
    Effect.gen(function* () {
      const atMillis = yield* Clock.currentTimeMillis
      if (known !== undefined && atMillis < known.atMillis + keptMillis) return known.value
      const value = yield* read
      known = { value, atMillis }
      return value
    })
  )
}

/** How long a balance that was read counts. */
export const balanceKeptMillis = 30_000
