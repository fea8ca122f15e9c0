import type { HostStores } from "@till402/core"
import { chargeVerbs } from "./charges.ts"
import { connect, type ConnectOptions, migrate, now } from "./database.ts"
import { ledgerVerbs } from "./ledger.ts"
import { orderStore } from "./orders.ts"
import { quoteStore } from "./quotes.ts"
import { refundVerbs } from "./refunds.ts"
import { vaultItemStore, vaultPurchaseStore } from "./vault.ts"

/** Seconds for running statements to end when the till is disposed of. */
const closeSeconds = 5

/** The whole storage of a till in a PostgreSQL database, given by its connection string. */
export const postgresStores = (url: string, options?: ConnectOptions) => {
  const sql = connect(url, options)
  return {
    charges: { ...chargeVerbs(sql), ...ledgerVerbs(sql), ...refundVerbs(sql) },
    quotes: quoteStore(sql),
    orders: orderStore(sql),
    vaultItems: vaultItemStore(sql),
    vaultPurchases: vaultPurchaseStore(sql),
    nowMillis: () => now(sql),
    open: () => migrate(sql),
    close: () => sql.end({ timeout: closeSeconds })
  } satisfies HostStores
}
