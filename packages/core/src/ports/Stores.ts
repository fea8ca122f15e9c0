import type { Charges } from "./Charges.ts"
import type { Orders } from "./Orders.ts"
import type { Quotes } from "./Quotes.ts"
import type { VaultItems } from "./VaultItems.ts"
import type { VaultPurchases } from "./VaultPurchases.ts"

/**
 * Time that a charge's lease leaves for all store calls under it, and for clocks of processes that differ;
 * milliseconds. It covers several calls of the default timeout.
 */
export const storeMarginMillis = 30_000

/** The stores that a storage provides. */
export type Stores = Charges | Quotes | Orders | VaultItems | VaultPurchases
