import { Effect } from "effect"
import { report } from "../../runtime/events.ts"

/** Makes a function that reports a read of a network that fails, and returns `undefined` in its place. */
export const reportedBy =
  <E>(nameOf: (failure: E) => string | undefined) =>
  <A>(caip2: string, read: Effect.Effect<A, E>): Effect.Effect<A | undefined> =>
    Effect.catch(read, (failure) => {
      const error = nameOf(failure)
      return Effect.as(
        report(
          "Warn",
          "chain_unreadable",
          `The chain could not be read${error === undefined ? "" : ` (${error})`}: check rpcUrl. Until it has been read once, no payment on it is accepted`,
          { port: "chain", network: caip2, error }
        ),
        undefined
      )
    })
