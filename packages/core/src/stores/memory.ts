import { Layer } from "effect"
import { inMemory, StorageRisks } from "../ports/StorageMarks.ts"
import { Charges } from "../ports/Charges.ts"
import { Orders } from "../shop/ports/Orders.ts"
import { Quotes } from "../shop/ports/Quotes.ts"
import type { Stores } from "./Stores.ts"
import { VaultItems } from "../shop/ports/VaultItems.ts"
import { VaultPurchases } from "../shop/ports/VaultPurchases.ts"

/** All stores in memory; the same stores wherever this layer is provided within one runtime. */
export const layerMemoryStores: Layer.Layer<Stores> = Layer.mergeAll(
  Charges.layerMemory,
  Quotes.layerMemory,
  Orders.layerMemory,
  VaultItems.layerMemory,
  VaultPurchases.layerMemory,
  Layer.succeed(StorageRisks, inMemory)
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
