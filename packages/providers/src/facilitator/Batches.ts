import { Deferred, Effect } from "effect"

/*
 * Collects settlements for one transaction.
 */

/** Bounds of a batch. */
export interface BatchBounds {
  readonly maxItems: number
  /** How long the first item waits for others. */
  readonly maxWaitMillis: number
}

/** Below the highest gas limit of a transaction that chains accept (EIP-7825: 16,777,216). */
const maxBatchGas = 16_000_000n

interface OpenBatch<I, A, E> {
  readonly items: Array<{ readonly item: I; readonly done: Deferred.Deferred<A, E> }>
  gas: bigint
  readonly closed: Deferred.Deferred<void>
}

/**
 * Runs items together: as many as fit, as soon as there are enough or the first one has waited. A batch is run even if
 * its callers are gone. `run` returns the result of each item, in order.
 */
export const makeBatches = <I extends { readonly gas: bigint }, A, E>(
  { maxItems, maxWaitMillis }: BatchBounds,
  run: (items: ReadonlyArray<I>) => Effect.Effect<ReadonlyArray<Effect.Effect<A, E>>, E>
): ((item: I) => Effect.Effect<A, E>) => {
  let open: OpenBatch<I, A, E> | undefined

  const close = (batch: OpenBatch<I, A, E>) => {
    if (open === batch) open = undefined
    return Deferred.succeed(batch.closed, undefined)
  }

  const collect = Effect.fnUntraced(function* (batch: OpenBatch<I, A, E>) {
    yield* Effect.timeoutOrElse(Deferred.await(batch.closed), {
      duration: maxWaitMillis,
      orElse: () => Effect.void
    })
    yield* close(batch)
    const exit = yield* Effect.exit(run(batch.items.map(({ item }) => item)))
    for (const [index, { done }] of batch.items.entries()) {
      yield* exit._tag === "Failure"
        ? Deferred.failCause(done, exit.cause)
        : Deferred.complete(done, exit.value[index] ?? Effect.die(new Error("an item has no result")))
    }
  })

  return Effect.fnUntraced(function* (item: I) {
    const done = yield* Deferred.make<A, E>()
    if (open !== undefined && open.gas + item.gas > maxBatchGas) yield* close(open)
    const batch = open ?? { items: [], gas: 0n, closed: Deferred.makeUnsafe<void>() }
    batch.items.push({ item, done })
    batch.gas += item.gas
    if (open === undefined) {
      open = batch
      yield* Effect.forkDetach(collect(batch))
    }
    if (batch.items.length >= maxItems) yield* close(batch)
    return yield* Deferred.await(done)
  })
}
