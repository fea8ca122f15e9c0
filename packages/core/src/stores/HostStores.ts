import { report } from "../runtime/events.ts"
import { Context, Effect, Layer, Record, type Scope } from "effect"
import { ConfigurationError, StoreError } from "../domain/Errors.ts"
import { type CallContext, deadlineExceeded, tryWithTimeout } from "../runtime/Deadline.ts"
import type {
  ClaimMethods,
  DueMethods,
  LeaseMethods,
  RecordMethods,
  SettlementMethods
} from "../ports/ChargeMethods.ts"
import { Charges } from "../ports/Charges.ts"
import type { LedgerMethods } from "../ports/Ledger.ts"
import type { RefundMethods } from "../ports/Refund.ts"
import type { RefundAttemptMethods } from "../ports/RefundAttempt.ts"
import { causeName } from "../runtime/causeName.ts"
import { Orders } from "../shop/ports/Orders.ts"
import { Quotes } from "../shop/ports/Quotes.ts"
import { storeResponseReaders } from "./StoreResponses.ts"
import type { StoreName, StorePorts, StoresByName } from "./Stores.ts"
import { type DatabaseClock, StoreClock, storeMarginMillis } from "../ports/StoreClock.ts"
import { VaultItems } from "../shop/ports/VaultItems.ts"
import { VaultPurchases } from "../shop/ports/VaultPurchases.ts"

/**
 * A store in plain promises: every method of the port as an async function with the same arguments, followed by a
 * context whose `signal` aborts at the deadline. If a method returns nothing, its result is ignored; `null` is read as
 * `undefined`.
 */
export type PromiseMethods<Port> = {
  readonly [Verb in keyof Port]: Port[Verb] extends (
    ...input: infer Input
  ) => Effect.Effect<infer Result, StoreError>
    ? (...input: [...Input, context: CallContext]) => Promise<HostResult<Result>>
    : never
}

/** The result that a host's method may return. */
type HostResult<Result> = [Result] extends [void]
  ? unknown
  : undefined extends Result
    ? Result | null
    : Result

/** Claims of payments, and which process holds a charge. Each method is one atomic step. */
export interface ClaimStore extends PromiseMethods<ClaimMethods & LeaseMethods & DueMethods> {}
/** Changes of a charge's state. Each method is one atomic step. */
export interface SettlementStore extends PromiseMethods<SettlementMethods> {}
/** Refunds, and attempts to send them. Each method is one atomic step. */
export interface RefundStore extends PromiseMethods<RefundMethods & RefundAttemptMethods> {}
/** The ledger, and the lists of charges. */
export interface LedgerStore extends PromiseMethods<LedgerMethods & RecordMethods> {}
/** Charges and their ledger, as a host implements them: all that a till with own routes needs. */
export interface ChargeStore extends ClaimStore, SettlementStore, RefundStore, LedgerStore {}
/** Quotes, as a host implements them. Each method is one atomic step. */
export interface QuoteStore extends PromiseMethods<Quotes["Service"]> {}
/** Orders, as a host implements them. Each method is one atomic step. */
export interface OrderStore extends PromiseMethods<Orders["Service"]> {}
/** The vault's items, as a host implements them. Each method is one atomic step. */
export interface VaultItemStore extends PromiseMethods<VaultItems["Service"]> {}
/** Purchases of vault items, as a host implements them. Each method is one atomic step. */
export interface VaultPurchaseStore extends PromiseMethods<VaultPurchases["Service"]> {}

/** A host's own storage: stores of async functions. Those of the shop are needed by the routes that use them. */
export interface HostStores {
  readonly charges: ChargeStore
  /** For `buy`. */
  readonly quotes?: QuoteStore
  /** For `buy`. */
  readonly orders?: OrderStore
  /** For the routes of the vault. */
  readonly vaultItems?: VaultItemStore
  /** For the routes of the vault. */
  readonly vaultPurchases?: VaultPurchaseStore
  /** Runs once before the first method, e.g. to migrate a schema. If it throws, `till.ready` rejects with that. */
  readonly open?: (context: CallContext) => Promise<void>
  /**
   * Returns the database's time, in milliseconds since the epoch. Give it where several machines share the database:
   * the till then runs on that time, so that all agree on who holds a lease. Read at start and every 15 seconds.
   */
  readonly nowMillis?: (context: CallContext) => Promise<number>
  /** Runs once when the till is disposed, also if `open` failed. If it throws, `till.dispose()` rejects with that. */
  readonly close?: (context: CallContext) => Promise<void>
}

/** The stores that a host surely gives: an optional field is none. */
export type StoresOf<Given extends HostStores> = {
  readonly [Name in StoreName]: Given extends Readonly<Record<Name, object>> ? StoresByName[Name] : never
}[StoreName]

/** How a host's storage is called. */
export interface HostStoresSettings {
  /**
   * Deadline of one method in milliseconds: 1 to 30000, default 5000. Its later result is ignored. A lease leaves 30000
   * for all store calls under it, so slow calls can outlast it; the lease's next holder then finishes the charge.
   */
  readonly timeoutMillis?: number
  /** Deadline of `open`, and of `close`, in milliseconds: 1 to 3600000, default 60000. */
  readonly openTimeoutMillis?: number
}

/**
 * All that a lease leaves for the store. With several calls this slow, a lease expires early: another process takes the
 * charge over, and the store must refuse what this process writes later, since it no longer holds the lease.
 */
const maxTimeoutMillis = storeMarginMillis
const maxOpenTimeoutMillis = 3_600_000

/**
 * Makes a storage from a host's async functions.
 *
 * A method that throws, returns the wrong kind of result, or passes its deadline is a `StoreError` that names it
 * (`charges.claim`): the caller gets 503 `STORAGE_UNAVAILABLE`. A missing method is a `ConfigurationError` at start, and
 * so is a store that a route of the till needs.
 *
 * The port documents what each method guarantees; `storeTests` of `@till402/testing` tests it, races included.
 * `examples/own-store` is a complete storage on PostgreSQL.
 *
 * @example
 * import type { HostStores } from "@till402/core"
 *
 * // Objects of async functions: charges, and for the shop quotes, orders, vaultItems, vaultPurchases.
 * const start = (stores: HostStores, database: { migrate: () => Promise<void>; end: () => Promise<void> }) =>
 *   Till.make({
 *     ...options,
 *     storage: storageFrom({ ...stores, open: () => database.migrate(), close: () => database.end() })
 *   })
 */
export const storageFrom = <const Given extends HostStores>(
  stores: Given,
  settings: HostStoresSettings = {}
): Layer.Layer<StoresOf<Given>, ConfigurationError | StoreError> => {
  const { openTimeoutMillis = 60_000, timeoutMillis = 5_000 } = settings
  return Layer.effectContext(
    Effect.gen(function* () {
      const faults = [
        ...settingFaults({ openTimeoutMillis, timeoutMillis }),
        ...storeNames
          .filter((name) => name === "charges" || stores[name] !== undefined)
          .flatMap((name) => missingMethods(name, stores))
      ]
      if (faults.length > 0) {
        return yield* new ConfigurationError({ message: `storage: ${faults.join("; ")}` })
      }
      yield* openStores(stores, openTimeoutMillis)
      const addGiven =
        <Name extends StoreName, Id>(key: Context.Key<Id, StorePorts[Name]>, name: Name) =>
        <Services>(context: Context.Context<Services>): Context.Context<Services> => {
          const store = stores[name]
          return store === undefined ? context : Context.add(context, key, portOf(name, store, timeoutMillis))
        }
      const context = Context.make(StoreClock, clockOf(stores, timeoutMillis)).pipe(
        addGiven(Charges, "charges"),
        addGiven(Quotes, "quotes"),
        addGiven(Orders, "orders"),
        addGiven(VaultItems, "vaultItems"),
        addGiven(VaultPurchases, "vaultPurchases")
      )
      // The stores that the type of `stores` has were just added.
      return context as Context.Context<StoresOf<Given>>
    })
  )
}

const storeNames = Record.keys(storeResponseReaders)

const settingFaults = ({ openTimeoutMillis, timeoutMillis }: Required<HostStoresSettings>) => [
  ...(isWithin(timeoutMillis, maxTimeoutMillis)
    ? []
    : [`timeoutMillis must be between 1 and ${maxTimeoutMillis}`]),
  ...(isWithin(openTimeoutMillis, maxOpenTimeoutMillis)
    ? []
    : [`openTimeoutMillis must be between 1 and ${maxOpenTimeoutMillis}`])
]
const isWithin = (millis: number, max: number): boolean => millis >= 1 && millis <= max

/** Checks what types rule out, for hosts without type checks. */
const missingMethods = (name: StoreName, stores: HostStores): ReadonlyArray<string> => {
  const store: unknown = stores[name]
  if (typeof store !== "object" || store === null) return [`${name} is missing`]
  return Object.keys(storeResponseReaders[name])
    .filter((verb) => typeof Reflect.get(store, verb) !== "function")
    .map((verb) => `${name}.${verb} is missing`)
}

/** Calls a function of the host; fails with a `StoreError` of that name if it throws or passes its deadline. */
const callStore = <A>(
  operation: string,
  millis: number,
  method: (context: CallContext) => PromiseLike<A> | A
): Effect.Effect<A, StoreError> =>
  tryWithTimeout({
    timeoutMillis: millis,
    call: async (context) => method(context),
    catch: (cause) => new StoreError({ operation, cause }),
    onTimeout: () => new StoreError({ operation, cause: deadlineExceeded(millis) })
  }).pipe(
    Effect.tapError(({ cause }) =>
      report("Warn", "storage_failed", "The storage failed", { operation, error: causeName(cause) })
    )
  )

/** The database's clock, if the host gives it. */
const clockOf = (stores: HostStores, millis: number): DatabaseClock | undefined =>
  stores.nowMillis === undefined
    ? undefined
    : {
        nowMillis: callStore("nowMillis", millis, async (context) => {
          const nowMillis: unknown = await stores.nowMillis?.(context)
          if (typeof nowMillis !== "number" || !Number.isFinite(nowMillis))
            throw new TypeError("nowMillis must return a number")
          return nowMillis
        })
      }

/** Opens a storage, and closes it with the scope. */
const openStores = (stores: HostStores, millis: number): Effect.Effect<void, StoreError, Scope.Scope> =>
  // Registered first: a failed opening may leave a pool or a lock to close.
  Effect.andThen(
    Effect.addFinalizer(() => Effect.orDie(callStore("close", millis, (context) => stores.close?.(context)))),
    callStore("open", millis, (context) => stores.open?.(context))
  )

const portOf = <Name extends StoreName>(name: Name, store: object, timeoutMillis: number): StorePorts[Name] =>
  Object.fromEntries(
    Object.entries<(response: unknown) => unknown>(storeResponseReaders[name]).map(([verb, read]) => [
      verb,
      (...input: ReadonlyArray<unknown>) =>
        // Called on the store itself, which may be an instance of a class.
        callStore(`${name}.${verb}`, timeoutMillis, async (context) =>
          read(await Reflect.apply(Reflect.get(store, verb), store, [...input, context]))
        )
    ])
    // The table has exactly the methods of the port: its type guarantees it.
  ) as StorePorts[Name]
