import { Effect, Predicate } from "effect"

/**
 * What an effect of a host's succeeded with; where that is a promise, as of `Effect.sync(async () => …)`, what that resolves
 * to: nobody else awaits it, and what it rejects with must not end the process.
 */
export const awaited = (value: unknown): Effect.Effect<unknown, unknown> =>
  Predicate.isPromiseLike(value)
    ? Effect.tryPromise({ try: async () => value, catch: (thrown) => thrown })
    : Effect.succeed(value)
