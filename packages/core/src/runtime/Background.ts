import { Effect, FiberSet, type Scope } from "effect"

/** How long background work may take to end when the till stops. A later sweep finishes what takes longer. */
const shutdownMillis = 10_000

/** Starts work that outlives the response. The work reports its own failures. */
export type RunInBackground = (work: Effect.Effect<void>) => Effect.Effect<void>

/**
 * Runs work in the background of responses, such as placing an order or sending a mail, while the scope is open.
 *
 * When the scope closes, running work is awaited for a bounded time and then interrupted.
 */
export const makeBackground: Effect.Effect<RunInBackground, never, Scope.Scope> = Effect.gen(function* () {
  const fibers = yield* FiberSet.make<void, never>()
  // Finalizers run in reverse order: this one before the set interrupts its fibers.
  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(fibers), shutdownMillis))
  return (work) => Effect.asVoid(FiberSet.run(fibers, work))
})
