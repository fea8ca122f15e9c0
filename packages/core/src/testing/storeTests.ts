import { Effect, References } from "effect"
import { StoreError } from "../domain/Errors.ts"
import { type HostStores, type HostStoresSettings, storageFrom } from "../stores/HostStores.ts"
import type { Stores } from "../stores/Stores.ts"
import { restartCases, storeCases } from "./storeContract.ts"

/** Connects the store tests with a host's own storage. */
export interface StoresUnderTest {
  /** Deletes everything in the storage. Called before each test. */
  readonly empty: () => Promise<void> | void
  /**
   * Returns stores of that storage. Called for each test, and again whenever a test simulates a restart. `open` runs
   * before they are used, `close` afterwards.
   */
  readonly connect: () => Promise<HostStores> | HostStores
}

/** One test of the store contract, for any test runner. */
export interface StoreTest {
  /** A sentence, e.g. `Charges: of 50 racers for one key exactly one claims it`. */
  readonly name: string
  /**
   * Rejects with a `StoreContractViolation` if the stores break the contract, or with an error that names the operation
   * if a store fails.
   */
  readonly run: () => Promise<void>
}

/**
 * Creates the store contract's tests for a host's own stores, written with plain promises.
 *
 * Tests that share a storage must run one after the other.
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
        Effect.mapError(withCauseMessage),
        // Some cases provoke failures on purpose, which would be logged.
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

/** Adds the cause to the message, as not every test runner shows causes. */
const withCauseMessage = (error: unknown): unknown =>
  error instanceof StoreError
    ? new Error(
        `${error.operation} failed: ${error.cause instanceof Error ? error.cause.message : String(error.cause)}`,
        { cause: error.cause }
      )
    : error
