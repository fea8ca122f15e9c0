import { Context, Effect, Fiber } from "effect"
import { StoreError } from "../../domain/Errors.ts"
import { Charges } from "../../ports/Charges.ts"
import { Orders } from "../../shop/ports/Orders.ts"
import { Quotes } from "../../shop/ports/Quotes.ts"
import { StorageMarks, StorageRehearsal, StorageRisks } from "../../ports/StorageMarks.ts"
import { StoreClock } from "../../ports/StoreClock.ts"
import type { Stores } from "../Stores.ts"
import { VaultItems } from "../../shop/ports/VaultItems.ts"
import { VaultPurchases } from "../../shop/ports/VaultPurchases.ts"

type Method = (...input: ReadonlyArray<unknown>) => Effect.Effect<unknown, StoreError>

/**
 * Runs a method with a timeout, in a separate fiber: rolling back a transaction on a lost connection takes as long as
 * the connection does, and the caller must not wait for that.
 */
const withTimeout = <A>(
  operation: string,
  method: Effect.Effect<A, StoreError>,
  millis: number
): Effect.Effect<A, StoreError> =>
  Effect.flatMap(Effect.forkDetach(method, { startImmediately: true }), (running) =>
    Fiber.join(running).pipe(
      Effect.timeoutOrElse({
        duration: millis,
        orElse: () =>
          Effect.fail(new StoreError({ operation, cause: new Error(`no response within ${millis} ms`) }))
      }),
      Effect.ensuring(Effect.sync(() => running.interruptUnsafe()))
    )
  )

/** A store whose methods fail with a `StoreError` of their name after a timeout. */
const storeWithTimeout = <Store extends object>(name: string, store: Store, millis: number): Store =>
  Object.fromEntries(
    Object.entries(store as Readonly<Record<string, Method>>).map(([method, run]) => [
      method,
      (...input: ReadonlyArray<unknown>) => withTimeout(`${name}.${method}`, run(...input), millis)
    ])
    // The same methods, with the same results and errors.
  ) as Store

/**
 * Adds a timeout to every method of the stores, for a database that no longer responds: the server's own statement
 * timeout doesn't help if the network loses the statement.
 */
export const storesWithTimeout = (
  stores: Context.Context<Stores>,
  millis: number
): Context.Context<Stores> => {
  const clock = Context.get(stores, StoreClock)
  const marks = Context.get(stores, StorageMarks)
  return Context.make(Charges, storeWithTimeout("charges", Context.get(stores, Charges), millis)).pipe(
    Context.add(Quotes, storeWithTimeout("quotes", Context.get(stores, Quotes), millis)),
    Context.add(Orders, storeWithTimeout("orders", Context.get(stores, Orders), millis)),
    Context.add(VaultItems, storeWithTimeout("vaultItems", Context.get(stores, VaultItems), millis)),
    Context.add(
      VaultPurchases,
      storeWithTimeout("vaultPurchases", Context.get(stores, VaultPurchases), millis)
    ),
    Context.add(StorageRehearsal, Context.get(stores, StorageRehearsal)),
    Context.add(StorageRisks, Context.get(stores, StorageRisks)),
    Context.add(
      StoreClock,
      clock === undefined ? undefined : { nowMillis: withTimeout("clock", clock.nowMillis, millis) }
    ),
    Context.add(
      StorageMarks,
      marks === undefined
        ? undefined
        : {
            all: withTimeout("marks.all", marks.all, millis),
            add: (name: string, value: string) => withTimeout("marks.add", marks.add(name, value), millis)
          }
    )
  )
}
