import type { Charges } from "./Charges.ts"
import type { Orders } from "./Orders.ts"
import type { Quotes } from "./Quotes.ts"
import type { VaultItems } from "./VaultItems.ts"
import type { VaultPurchases } from "./VaultPurchases.ts"

/** The stores that a storage provides. */
export type Stores = Charges | Quotes | Orders | VaultItems | VaultPurchases
