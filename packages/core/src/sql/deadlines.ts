import { Context, Effect, Fiber } from "effect"
import { StoreError } from "../domain/Errors.ts"
import { Charges } from "../ports/Charges.ts"
import { Orders } from "../ports/Orders.ts"
import { Quotes } from "../ports/Quotes.ts"
import type { Stores } from "../ports/Stores.ts"
import { VaultItems } from "../ports/VaultItems.ts"
import { VaultPurchases } from "../ports/VaultPurchases.ts"

type Verb = (...input: ReadonlyArray<unknown>) => Effect.Effect<unknown, StoreError>

/**
 * Runs a verb, and leaves it to itself once a time is over or the caller is: undoing a transaction takes
 * as long as its connection does, and nobody should wait for one that is lost.
 */
const within = <A>(
  operation: string,
  verb: Effect.Effect<A, StoreError>,
  millis: number
): Effect.Effect<A, StoreError> =>
  Effect.flatMap(Effect.forkDetach(verb, { startImmediately: true }), (running) =>
    Fiber.join(running).pipe(
      Effect.timeoutOrElse({
        duration: millis,
        orElse: () =>
          Effect.fail(new StoreError({ operation, cause: new Error(`no answer within ${millis} ms`) }))
      }),
      Effect.ensuring(Effect.sync(() => running.interruptUnsafe()))
    )
  )

/** A store whose verbs fail with a `StoreError` of their name once a time is over. */
const bounded = <Store extends object>(name: string, store: Store, millis: number): Store =>
  Object.fromEntries(
    Object.entries(store as Readonly<Record<string, Verb>>).map(([verb, run]) => [
      verb,
      (...input: ReadonlyArray<unknown>) => within(`${name}.${verb}`, run(...input), millis)
    ])
    // The same verbs, each with the answers and failures that it had.
  ) as Store

/**
 * Stores whose verbs end in time also where nothing is heard of the database any more: a server keeps to
 * the deadline of a statement, a network that has swallowed it does not.
 */
export const boundedStores = (stores: Context.Context<Stores>, millis: number): Context.Context<Stores> =>
  Context.make(Charges, bounded("charges", Context.get(stores, Charges), millis)).pipe(
    Context.add(Quotes, bounded("quotes", Context.get(stores, Quotes), millis)),
    Context.add(Orders, bounded("orders", Context.get(stores, Orders), millis)),
    Context.add(VaultItems, bounded("vaultItems", Context.get(stores, VaultItems), millis)),
    Context.add(VaultPurchases, bounded("vaultPurchases", Context.get(stores, VaultPurchases), millis))
  )
