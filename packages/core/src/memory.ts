import { Layer } from "effect"
import { Charges } from "./ports/Charges.ts"
import { Orders } from "./ports/Orders.ts"
import { Quotes } from "./ports/Quotes.ts"
import type { Stores } from "./ports/Stores.ts"
import { VaultItems } from "./ports/VaultItems.ts"
import { VaultPurchases } from "./ports/VaultPurchases.ts"

/**
 * Storage in this process's memory, for tests: nothing outlives it. Each call is a storage of its own.
 *
 * @example
 * const till = Till.make({ ...options, storage: memory() })
 */
export const memory = (): Layer.Layer<Stores> =>
  Layer.fresh(
    Layer.mergeAll(
      Charges.layerMemory,
      Quotes.layerMemory,
      Orders.layerMemory,
      VaultItems.layerMemory,
      VaultPurchases.layerMemory
    )
  )
