import { Data, Effect } from "effect"

/** There was no response in time. Whether the upstream did anything is unknown. */
export class DeadlineExceeded extends Data.TaggedError("DeadlineExceeded")<{
  readonly message: string
  readonly timeoutMillis: number
}> {}

/** Passed to every port function; `signal` aborts at the deadline. */
export interface CallContext {
  readonly signal: AbortSignal
}

/** Awaits a promise up to a deadline; fails with the error of `catch` or `onTimeout`. */
export const tryWithTimeout = <A, E, E2>(timed: {
  readonly timeoutMillis: number
  readonly call: (context: CallContext) => PromiseLike<A>
  readonly catch: (cause: unknown) => E
  readonly onTimeout: () => E2
}): Effect.Effect<A, E | E2> =>
  Effect.tryPromise({ try: async (signal) => timed.call({ signal }), catch: timed.catch }).pipe(
    Effect.timeoutOrElse({
      duration: timed.timeoutMillis,
      orElse: () => Effect.fail(timed.onTimeout())
    })
  )
