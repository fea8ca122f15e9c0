import { Context, Effect, Layer } from "effect"
import { memory } from "../../src/stores/memory.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { type HostStores, type HostStoresSettings, storageFrom } from "../../src/stores/HostStores.ts"
import { Orders } from "../../src/shop/ports/Orders.ts"
import { Quotes } from "../../src/shop/ports/Quotes.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import { VaultItems } from "../../src/shop/ports/VaultItems.ts"
import { VaultPurchases } from "../../src/shop/ports/VaultPurchases.ts"

export type StoreName = "charges" | "quotes" | "orders" | "vaultItems" | "vaultPurchases"
/** All five stores. */
export type AllStores = HostStores & Required<Pick<HostStores, StoreName>>
type Verbs = Record<string, (...input: ReadonlyArray<unknown>) => unknown>

const portsOf = (context: Context.Context<Stores>): Record<StoreName, object> => ({
  charges: Context.get(context, Charges),
  quotes: Context.get(context, Quotes),
  orders: Context.get(context, Orders),
  vaultItems: Context.get(context, VaultItems),
  vaultPurchases: Context.get(context, VaultPurchases)
})

const inMemory = (): Record<StoreName, object> =>
  portsOf(Effect.runSync(Effect.scoped(Layer.build(memory()))))

/** Every verb of every port, by the ports themselves. */
export const verbs = Object.entries(inMemory()).flatMap(([name, port]) =>
  Object.keys(port).map((verb) => [name as StoreName, verb] as const)
)

/** Stores whose verbs are all made by one function. */
export const storesOf = (
  make: (name: StoreName, verb: string) => (...input: ReadonlyArray<unknown>) => unknown
) => {
  const stores: Record<StoreName, Verbs> = {
    charges: {},
    quotes: {},
    orders: {},
    vaultItems: {},
    vaultPurchases: {}
  }
  for (const [name, verb] of verbs) stores[name][verb] = make(name, verb)
  return stores as Record<StoreName, object> as AllStores
}

/** The stores in memory as a host without Effect would have written them. */
export const plainMemory = (): AllStores => {
  const ports = inMemory()
  return storesOf((name, verb) => (...input) => {
    const run = (ports[name] as Record<string, (...input: ReadonlyArray<unknown>) => Effect.Effect<unknown>>)[
      verb
    ]!
    // The context is not for the port.
    return Effect.runPromise(run(...input.slice(0, -1)))
  })
}

export const withPorts = <A, E>(
  stores: HostStores,
  use: (
    ports: Record<
      StoreName,
      Record<string, (...input: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>>
    >
  ) => Effect.Effect<A, E>,
  settings?: HostStoresSettings
) =>
  Effect.scoped(
    Effect.flatMap(Layer.build(storageFrom(stores as AllStores, settings)), (context) =>
      use(portsOf(context) as never)
    )
  )
