import { Effect } from "effect"
import type { CallContext } from "./Deadline.ts"
import { handedToFunction } from "./span.ts"

/** The effect of a host's async function. What it throws is a failure, of any type: its caller judges it. */
export const fromPromise = <A, E>(call: (context: CallContext) => PromiseLike<A>): Effect.Effect<A, E> =>
  handedToFunction(
    Effect.tryPromise({
      try: async (signal) => call({ signal }),
      catch: (thrown) => thrown as E
    })
  )
