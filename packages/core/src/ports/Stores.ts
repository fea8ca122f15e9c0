import type { Charges } from "./Charges.ts"
import type { Orders } from "./Orders.ts"
import type { Quotes } from "./Quotes.ts"
import type { VaultItems } from "./VaultItems.ts"
import type { VaultPurchases } from "./VaultPurchases.ts"

/** All that a host's storage holds. */
export type Stores = Charges | Quotes | Orders | VaultItems | VaultPurchases
