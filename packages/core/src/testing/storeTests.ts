import { Effect, References } from "effect"
import { StoreError } from "../domain/Errors.ts"
import { type HostStores, type HostStoresSettings, storageFrom } from "../ports/HostStores.ts"
import type { Stores } from "../ports/Stores.ts"
import { restartCases, storeCases } from "./storeContract.ts"

/** A host's own storage, as its tests need it. */
export interface StoresUnderTest {
  /** Leaves nothing in the storage: called before each test. */
  readonly empty: () => Promise<void> | void
  /**
   * The stores of that storage: called for each test, and again where a test closes them and looks at what the next
   * process would find. Their `open` runs before they are used, their `close` after it.
   */
  readonly connect: () => Promise<HostStores> | HostStores
}

/** One promise of the stores, to be tested by any test runner. */
export interface StoreTest {
  /** A sentence, e.g. `Charges: of 50 racers for one key exactly one claims it`. */
  readonly name: string
  /**
   * Rejects with a `StoreContractViolation` where the promise is broken, with an error that names the verb where a
   * store fails.
   */
  readonly run: () => Promise<void>
}

/**
 * What the stores promise, as tests of a host's own: the cases of `storeCases` and `restartCases`, for stores in plain
 * promises and a test runner that knows promises. Tests that share a storage run one after the other.
 *
 * @example
 * import type { HostStores } from "@till402/core"
 *
 * const testStores = (connect: () => HostStores, truncate: () => Promise<void>) => {
 *   for (const { name, run } of storeTests({ connect, empty: truncate })) test(name, run)
 * }
 */
export const storeTests = (
  { connect, empty }: StoresUnderTest,
  settings?: HostStoresSettings
): ReadonlyArray<StoreTest> => {
  const opened = <A, E>(use: Effect.Effect<A, E, Stores>): Effect.Effect<A, unknown> =>
    Effect.flatMap(Effect.tryPromise({ try: async () => connect(), catch: (cause) => cause }), (stores) =>
      Effect.provide(use, storageFrom(stores, settings))
    )
  const test = (name: string, run: Effect.Effect<void, unknown>): StoreTest => ({
    name,
    run: async () => {
      await empty()
      await run.pipe(
        Effect.mapError(readable),
        // A failure that a case is after would be logged like any other.
        Effect.provideService(References.MinimumLogLevel, "None"),
        Effect.runPromise
      )
    }
  })
  return [
    ...storeCases.map(({ name, run }) => test(name, opened(run))),
    ...restartCases.map(({ name, run }) => test(name, run(opened)))
  ]
}

/** The failure of a store in words: a test runner shows messages, and causes only with luck. */
const readable = (error: unknown): unknown =>
  error instanceof StoreError
    ? new Error(
        `${error.operation} failed: ${error.cause instanceof Error ? error.cause.message : String(error.cause)}`,
        { cause: error.cause }
      )
    : error
