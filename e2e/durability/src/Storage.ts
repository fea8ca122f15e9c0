import { Charges, Orders, Quotes, type Stores, VaultPurchases } from "@till402/core/effect"
import { Clock, Context, Effect, Layer } from "effect"
import { withFault } from "./Faults.ts"
import type { Moment } from "./Moments.ts"
import type { ServerSettings, StorageSettings } from "./ServerSettings.ts"
import type { Notify } from "./Shop.ts"

/** Loads only the required driver. */
const loadLayer = async (storage: StorageSettings): Promise<Layer.Layer<Stores, unknown>> => {
  if (storage.kind === "sqlite") {
    const { sqlite } = await import("@till402/core/sqlite")
    return sqlite({ filename: storage.filename })
  }
  const { postgres } = await import("@till402/core/postgres")
  return postgres({ url: storage.url })
}

/**
 * Leases short enough for a test to wait for. They may expire while a slow server is still alive; the till must keep
 * its promises even then.
 */
const withShortLeases = (store: Charges["Service"], leaseMillis: number): Charges["Service"] => {
  const shorten = <L extends { readonly untilMillis: number }>(lease: L): Effect.Effect<L> =>
    Effect.map(Clock.currentTimeMillis, (nowMillis) => ({
      ...lease,
      untilMillis: Math.min(lease.untilMillis, nowMillis + leaseMillis)
    }))
  return Charges.of({
    ...store,
    claim: (charge, lease, ...rest) =>
      Effect.flatMap(shorten(lease), (short) => store.claim(charge, short, ...rest)),
    takeOver: (key, lease, nowMillis) =>
      Effect.flatMap(shorten(lease), (short) => store.takeOver(key, short, nowMillis))
  })
}

type Announce = (moment: Moment) => <A, E>(change: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** Stores that report each committed change before they return. */
const announcing = (stores: Context.Context<Stores>, announce: Announce): Context.Context<Stores> => {
  const charges = Context.get(stores, Charges)
  const quotes = Context.get(stores, Quotes)
  const orders = Context.get(stores, Orders)
  const purchases = Context.get(stores, VaultPurchases)
  return stores.pipe(
    Context.add(Charges, {
      ...charges,
      claim: (...args) => announce("claimed")(charges.claim(...args)),
      advance: (...args) => announce("recorded")(charges.advance(...args)),
      complete: (...args) => announce("completed")(charges.complete(...args)),
      deliver: (...args) => announce("delivered")(charges.deliver(...args)),
      markApplied: (...args) => announce("applied")(charges.markApplied(...args)),
      void: (...args) => announce("voided")(charges.void(...args))
    }),
    Context.add(Quotes, {
      ...quotes,
      consume: (...args) => announce("consumed")(quotes.consume(...args))
    }),
    Context.add(Orders, {
      ...orders,
      create: (...args) => announce("ordered")(orders.create(...args)),
      replace: (...args) => announce("advanced")(orders.replace(...args))
    }),
    Context.add(VaultPurchases, {
      ...purchases,
      reserve: (...args) => announce("reserved")(purchases.reserve(...args)),
      grant: (...args) => announce("granted")(purchases.grant(...args))
    })
  )
}

/** A server's storage, with a lookup of purchases. */
export interface ObservedStorage {
  readonly layer: Layer.Layer<Stores, unknown>
  /** Available once the storage is open. */
  readonly purchases: () => VaultPurchases["Service"]
}

/**
 * Storage with short leases and the given fault that reports each change to the external services. It reports a
 * purchase before writing it, so that the ids of all possible purchases are known.
 */
export const observedStorage = async (settings: ServerSettings, notify: Notify): Promise<ObservedStorage> => {
  const layer = await loadLayer(settings.storage)
  let opened: VaultPurchases["Service"] | undefined
  const announce: Announce = (moment) =>
    settings.day === undefined
      ? Effect.tap(() => Effect.promise(() => notify("/moments", { moment })))
      : (change) => change
  const observe = Effect.map(Effect.context<Stores>(), (stores) => {
    const charges = Context.get(stores, Charges)
    const orders = Context.get(stores, Orders)
    const purchases = Context.get(stores, VaultPurchases)
    opened = purchases
    return announcing(
      stores.pipe(
        Context.add(Charges, withShortLeases(withFault(charges, settings.fault), settings.leaseMillis)),
        // Shortens the lease of an order that is being placed.
        Context.add(Orders, {
          ...orders,
          take: (nowMillis, _, limit) => orders.take(nowMillis, nowMillis + settings.leaseMillis, limit)
        }),
        Context.add(VaultPurchases, {
          ...purchases,
          reserve: (purchase) =>
            Effect.promise(() => notify("/reservations", { id: purchase.id, email: purchase.email })).pipe(
              Effect.andThen(purchases.reserve(purchase))
            )
        })
      ),
      announce
    )
  })
  return {
    layer: Layer.effectContext(observe).pipe(Layer.provide(layer)),
    purchases: () => {
      if (opened === undefined) throw new Error("the storage is not open yet")
      return opened
    }
  }
}
