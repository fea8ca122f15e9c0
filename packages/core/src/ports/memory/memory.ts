import { Layer } from "effect"
import { Charges } from "../Charges.ts"
import { Orders } from "../Orders.ts"
import { Quotes } from "../Quotes.ts"
import type { Stores } from "../Stores.ts"
import { VaultItems } from "../VaultItems.ts"
import { VaultPurchases } from "../VaultPurchases.ts"

/** All stores in memory; the same stores wherever this layer is provided within one runtime. */
export const layerMemoryStores: Layer.Layer<Stores> = Layer.mergeAll(
  Charges.layerMemory,
  Quotes.layerMemory,
  Orders.layerMemory,
  VaultItems.layerMemory,
  VaultPurchases.layerMemory
)

/**
 * Stores everything in this process's memory, for tests. Each call makes a separate storage.
 *
 * @example
 * const till = Till.make({ ...options, storage: memory() })
 */
export const memory = (): Layer.Layer<Stores> =>
  // Layers are shared by reference: each call makes a separate storage, which is one wherever it is provided.
  Layer.effectContext(Layer.build(Layer.fresh(layerMemoryStores)))
