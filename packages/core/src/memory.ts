import { Layer } from "effect"
import { Charges } from "./ports/Charges.ts"
import { Orders } from "./ports/Orders.ts"
import { Quotes } from "./ports/Quotes.ts"
import type { Stores } from "./ports/Stores.ts"
import { VaultItems } from "./ports/VaultItems.ts"
import { VaultPurchases } from "./ports/VaultPurchases.ts"

/** All stores in memory, as a layer: the same stores wherever it is provided within one runtime. */
export const layerMemoryStores: Layer.Layer<Stores> = Layer.mergeAll(
  Charges.layerMemory,
  Quotes.layerMemory,
  Orders.layerMemory,
  VaultItems.layerMemory,
  VaultPurchases.layerMemory
)

/**
 * Storage in this process's memory, for tests: nothing outlives it. Each call is a storage of its own.
 *
 * @example
 * const till = Till.make({ ...options, storage: memory() })
 */
export const memory = (): Layer.Layer<Stores> =>
  // Layers are shared by reference: what this makes is its own, yet one storage wherever it is provided.
  Layer.effectContext(Layer.build(Layer.fresh(layerMemoryStores)))
