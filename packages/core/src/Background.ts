import { Effect, FiberSet, type Scope } from "effect"

/** How long what runs behind answers may take to end when the till stops; what takes longer is swept up later. */
const endMillis = 10_000

/** Starts work behind an answer; its failures are the work's own to tell. */
export type InBackground = (work: Effect.Effect<void>) => Effect.Effect<void>

/**
 * Work behind answers (an order that is placed, a mail that is sent) for as long as the scope lives. When it
 * ends, what is under way is waited for, bounded, and then interrupted.
 */
export const makeBackground: Effect.Effect<InBackground, never, Scope.Scope> = Effect.gen(function* () {
  const fibers = yield* FiberSet.make<void, never>()
  // Finalizers run last one first: this before the set interrupts what is in it.
  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(fibers), endMillis))
  return (work) => Effect.asVoid(FiberSet.run(fibers, work))
})
