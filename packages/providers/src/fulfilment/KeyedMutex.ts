import { Effect, Semaphore } from "effect"

/** Runs effects with the same key one after the other, within this process. */
export class KeyedMutex {
  private readonly gates = new Map<string, { readonly semaphore: Semaphore.Semaphore; entered: number }>()

  enter<A, E, R>(key: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const gate = this.gates.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), entered: 0 }
        gate.entered += 1
        this.gates.set(key, gate)
        return gate
      }),
      ({ semaphore }) => semaphore.withPermit(effect),
      (gate) =>
        Effect.sync(() => {
          gate.entered -= 1
          if (gate.entered === 0) this.gates.delete(key)
        })
    )
  }
}
