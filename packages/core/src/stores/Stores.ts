import type { Charges } from "../ports/Charges.ts"
import type { Orders } from "../shop/ports/Orders.ts"
import type { Quotes } from "../shop/ports/Quotes.ts"
import type { VaultItems } from "../shop/ports/VaultItems.ts"
import type { VaultPurchases } from "../shop/ports/VaultPurchases.ts"

/** The stores by their names in `HostStores`. */
export interface StoresByName {
  readonly charges: Charges
  readonly quotes: Quotes
  readonly orders: Orders
  readonly vaultItems: VaultItems
  readonly vaultPurchases: VaultPurchases
}

export type StoreName = keyof StoresByName

/** The methods of each store. */
export type StorePorts = { readonly [Name in StoreName]: StoresByName[Name]["Service"] }

/** The stores that a storage provides. */
export type Stores = StoresByName[StoreName]
