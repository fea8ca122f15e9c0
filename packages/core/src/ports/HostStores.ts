import { Context, Effect, Layer, type Scope } from "effect"
import { askWithin } from "../Deadline.ts"
import { ConfigurationError, StoreError } from "../domain/Errors.ts"
import type { CallContext } from "../ProviderOptions.ts"
import { Charges } from "./Charges.ts"
import { causeName, DeadlineExceeded } from "./HostCall.ts"
import { Orders } from "./Orders.ts"
import { Quotes } from "./Quotes.ts"
import { storeAnswers, type StoreName, type StorePorts } from "./StoreAnswers.ts"
import type { Stores } from "./Stores.ts"
import { VaultItems } from "./VaultItems.ts"
import { VaultPurchases } from "./VaultPurchases.ts"

/**
 * A store in plain promises: every verb of the port as an async function of the same arguments, and behind them
 * a context whose `signal` aborts when the verb's time is over. A function may leave out what it does not need.
 */
export type PromiseVerbs<Port> = {
  readonly [Verb in keyof Port]: Port[Verb] extends (
    ...input: infer Input
  ) => Effect.Effect<infer Answer, StoreError>
    ? (...input: [...Input, context: CallContext]) => Promise<Answer>
    : never
}

/** Charges and their ledger, as a host writes them. Each verb is one atomic step. */
export interface ChargeStore extends PromiseVerbs<Charges["Service"]> {}
/** Quotes, as a host writes them. Each verb is one atomic step. */
export interface QuoteStore extends PromiseVerbs<Quotes["Service"]> {}
/** Orders, as a host writes them. Each verb is one atomic step. */
export interface OrderStore extends PromiseVerbs<Orders["Service"]> {}
/** The vault's shelf, as a host writes it. Each verb is one atomic step. */
export interface VaultItemStore extends PromiseVerbs<VaultItems["Service"]> {}
/** Purchases of vault items, as a host writes them. Each verb is one atomic step. */
export interface VaultPurchaseStore extends PromiseVerbs<VaultPurchases["Service"]> {}

/** A host's own storage: five stores in plain promises. */
export interface HostStores {
  readonly charges: ChargeStore
  readonly quotes: QuoteStore
  readonly orders: OrderStore
  readonly vaultItems: VaultItemStore
  readonly vaultPurchases: VaultPurchaseStore
  /** Runs once before the first verb, e.g. to bring a schema up to date. A throw is why `till.ready` rejects. */
  readonly open?: (context: CallContext) => Promise<void>
  /** Runs once when the till is disposed of, also where `open` failed. A throw is why `till.dispose()` rejects. */
  readonly close?: (context: CallContext) => Promise<void>
}

/** How a host's storage is called. */
export interface HostStoresSettings {
  /** Deadline of one verb: 1 to 30000, default 5000. What comes of a verb after that is not known, nor waited for. */
  readonly timeoutMillis?: number
  /** Deadline of `open`, and of `close`: 1 to 3600000, default 60000. */
  readonly openTimeoutMillis?: number
}

/** A charge's lease (180 seconds) must outlast the verbs of a call: none may take longer than this. */
const maxTimeoutMillis = 30_000
const maxOpenTimeoutMillis = 3_600_000

/**
 * Storage of the host's own making, from plain async functions: no Effect in what a host writes.
 *
 * Whatever a verb throws, an answer of the wrong kind, and a deadline that passes are a `StoreError` that names the
 * verb (`charges.claim`): a caller gets 503 `STORAGE_UNAVAILABLE`. A verb that is missing is a `ConfigurationError`
 * at start. `null` is taken for `undefined` where nothing was found.
 *
 * What each verb promises stands at its port; `storeTests` of `@till402/core/testing` tests it, races included. A
 * whole storage on PostgreSQL stands in `examples/own-store`.
 *
 * @example
 * import type { HostStores } from "@till402/core"
 *
 * // Five objects of async functions: charges, quotes, orders, vaultItems, vaultPurchases.
 * const start = (stores: HostStores, database: { migrate: () => Promise<void>; end: () => Promise<void> }) =>
 *   Till.make({
 *     ...options,
 *     storage: storageFrom({ ...stores, open: () => database.migrate(), close: () => database.end() })
 *   })
 */
export const storageFrom = (
  stores: HostStores,
  settings: HostStoresSettings = {}
): Layer.Layer<Stores, ConfigurationError | StoreError> => {
  const { openTimeoutMillis = 60_000, timeoutMillis = 5_000 } = settings
  return Layer.effectContext(
    Effect.gen(function* () {
      const faults = [
        ...settingFaults({ openTimeoutMillis, timeoutMillis }),
        ...storeNames.flatMap((name) => missingVerbs(name, stores))
      ]
      if (faults.length > 0) {
        return yield* new ConfigurationError({ message: `storage: ${faults.join("; ")}` })
      }
      yield* opened(stores, openTimeoutMillis)
      const port = <Name extends StoreName>(name: Name) => portOf(name, stores[name], timeoutMillis)
      return Context.make(Charges, port("charges")).pipe(
        Context.add(Quotes, port("quotes")),
        Context.add(Orders, port("orders")),
        Context.add(VaultItems, port("vaultItems")),
        Context.add(VaultPurchases, port("vaultPurchases"))
      )
    })
  )
}

const storeNames = Object.keys(storeAnswers) as ReadonlyArray<StoreName>

const settingFaults = ({ openTimeoutMillis, timeoutMillis }: Required<HostStoresSettings>) => [
  ...(isWithin(timeoutMillis, maxTimeoutMillis)
    ? []
    : [`timeoutMillis must be between 1 and ${maxTimeoutMillis}`]),
  ...(isWithin(openTimeoutMillis, maxOpenTimeoutMillis)
    ? []
    : [`openTimeoutMillis must be between 1 and ${maxOpenTimeoutMillis}`])
]
const isWithin = (millis: number, max: number): boolean => millis >= 1 && millis <= max

type Verbs = Readonly<Record<string, (...input: ReadonlyArray<unknown>) => PromiseLike<unknown>>>

/** What the types rule out, for hosts that are not checked by them. */
const missingVerbs = (name: StoreName, stores: HostStores): ReadonlyArray<string> => {
  const store: unknown = stores[name]
  if (typeof store !== "object" || store === null) return [`${name} is missing`]
  return Object.keys(storeAnswers[name])
    .filter((verb) => typeof (store as Verbs)[verb] !== "function")
    .map((verb) => `${name}.${verb} is missing`)
}

/** Asks a function of the host; whatever comes of it but an answer in time is a `StoreError` of that name. */
const asked = <A>(
  operation: string,
  millis: number,
  ask: (context: CallContext) => PromiseLike<A> | A
): Effect.Effect<A, StoreError> =>
  askWithin({
    millis,
    ask: async (context) => ask(context),
    catch: (cause) => new StoreError({ operation, cause }),
    onLapse: () => new StoreError({ operation, cause: pastDeadline(millis) })
  }).pipe(
    Effect.tapError(({ cause }) => Effect.logWarning("The storage failed", operation, causeName(cause)))
  )

const pastDeadline = (timeoutMillis: number): DeadlineExceeded =>
  new DeadlineExceeded({ message: `no answer within ${timeoutMillis} ms`, timeoutMillis })

/** Opens a storage now, and closes it with the scope. */
const opened = (stores: HostStores, millis: number): Effect.Effect<void, StoreError, Scope.Scope> =>
  // The closing is arranged for first: what a failed opening leaves (a pool, a lock) is to be closed as well.
  Effect.andThen(
    Effect.addFinalizer(() => Effect.orDie(asked("close", millis, (context) => stores.close?.(context)))),
    asked("open", millis, (context) => stores.open?.(context))
  )

const portOf = <Name extends StoreName>(
  name: Name,
  store: HostStores[Name],
  timeoutMillis: number
): StorePorts[Name] =>
  Object.fromEntries(
    Object.entries<(answer: unknown) => unknown>(storeAnswers[name]).map(([verb, read]) => [
      verb,
      (...input: ReadonlyArray<unknown>) =>
        // Called on the store itself, which may be an instance of a class.
        asked(`${name}.${verb}`, timeoutMillis, async (context) =>
          read(await (store as unknown as Verbs)[verb]!(...input, context))
        )
    ])
    // The table has exactly the verbs of the port: its type says so.
  ) as unknown as StorePorts[Name]
