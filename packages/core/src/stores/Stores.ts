import type { Charges } from "../ports/Charges.ts"
import type { Orders } from "../shop/ports/Orders.ts"
import type { Quotes } from "../shop/ports/Quotes.ts"
import type { VaultItems } from "../shop/ports/VaultItems.ts"
import type { VaultPurchases } from "../shop/ports/VaultPurchases.ts"

/** The stores that a storage provides. */
export type Stores = Charges | Quotes | Orders | VaultItems | VaultPurchases
