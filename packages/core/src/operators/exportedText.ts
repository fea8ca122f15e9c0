import { Effect, Stream } from "effect"
import type { StoreError } from "../domain/Errors.ts"

/** The text of an export, piece by piece, for a host without Effect. `run` runs with the till's services. */
export async function* exportedText<R>(
  run: <A>(effect: Effect.Effect<A, StoreError, R>) => Promise<A>,
  pieces: Effect.Effect<Stream.Stream<string, StoreError>, never, R>
): AsyncGenerator<string, void, void> {
  yield* await run(
    Effect.gen(function* () {
      return Stream.toAsyncIterableWith(yield* pieces, yield* Effect.context<never>())
    })
  )
}
