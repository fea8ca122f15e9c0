import { Effect, type Layer, References } from "effect"
import {
  type ConfigurationError,
  type HostStores,
  type HostStoresSettings,
  storageFrom,
  StoreError,
  type Stores
} from "@till402/core/effect"
import { chargeCases } from "./stores/chargeCases.ts"
import { orderCases } from "./stores/orderCases.ts"
import { quoteCases } from "./stores/quoteCases.ts"
import { randomCases, randomChargeCases } from "./stores/randomCases.ts"
import { chargeRestartCases, purchaseRestartCases, restartCases } from "./stores/restartCases.ts"
import type { RestartCase, StoreCase } from "./stores/StoreCase.ts"
import { vaultCases } from "./stores/vaultCases.ts"

/** Connects the store tests with a host's own storage. */
export interface StoresUnderTest {
  /** Deletes everything in the storage. Called before each test. */
  readonly empty: () => Promise<void> | void
  /**
   * Returns stores of that storage. Called for each test, and again whenever a test simulates a restart. `open` runs
   * before they are used, `close` afterwards.
   */
  readonly connect: () => Promise<HostStores> | HostStores
  /** Stores of the shop that there are none of: their tests are left out. `vault` is both stores of the vault. */
  readonly without?: ReadonlyArray<"quotes" | "orders" | "vault">
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

/** The cases of the stores that there are. Only those of all stores together compare random operations on all. */
const casesWithout = (
  missing: ReadonlyArray<string>
): { readonly cases: ReadonlyArray<StoreCase>; readonly restarts: ReadonlyArray<RestartCase> } => {
  const of = <Case>(store: string, cases: ReadonlyArray<Case>) => (missing.includes(store) ? [] : cases)
  return {
    cases: [
      ...chargeCases,
      ...of("quotes", quoteCases),
      ...of("orders", orderCases),
      ...of("vault", vaultCases),
      ...(missing.length === 0 ? randomCases : randomChargeCases)
    ],
    restarts:
      missing.length === 0 ? restartCases : [...chargeRestartCases, ...of("vault", purchaseRestartCases)]
  }
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
  { connect, empty, without = [] }: StoresUnderTest,
  settings?: HostStoresSettings
): ReadonlyArray<StoreTest> => {
  const opened = <A, E>(use: Effect.Effect<A, E, Stores>): Effect.Effect<A, unknown> =>
    Effect.flatMap(Effect.tryPromise({ try: async () => connect(), catch: (cause) => cause }), (stores) =>
      // It has the stores that the cases need: those of others are left out.
      Effect.provide(
        use,
        storageFrom(stores, settings) as Layer.Layer<Stores, ConfigurationError | StoreError>
      )
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
  const { cases, restarts } = casesWithout(without)
  return [
    ...cases.map(({ name, run }) => test(name, opened(run))),
    ...restarts.map(({ name, run }) => test(name, run(opened)))
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
