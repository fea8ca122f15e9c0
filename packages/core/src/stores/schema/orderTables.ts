import { orderNames, restingOrders } from "./orderConditions.ts"

const tables: ReadonlyArray<string> = [
  `CREATE TABLE IF NOT EXISTS till_quotes (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    offer TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    consumed_by TEXT
  )`,
  // Enforces one live quote per request.
  `CREATE UNIQUE INDEX IF NOT EXISTS till_quotes_live ON till_quotes (fingerprint) WHERE consumed_by IS NULL`,
  `CREATE INDEX IF NOT EXISTS till_quotes_consumed ON till_quotes (consumed_by) WHERE consumed_by IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_quotes_expires ON till_quotes (expires_at)`,
  `CREATE TABLE IF NOT EXISTS till_orders (
    id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    version BIGINT NOT NULL,
    due_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    upstream_reference TEXT,
    document TEXT NOT NULL,
    personal TEXT,
    progress TEXT NOT NULL
  )`,
  `CREATE INDEX IF NOT EXISTS till_orders_due ON till_orders (due_at, id) WHERE due_at IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_orders_reference ON till_orders (upstream_reference)
    WHERE upstream_reference IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_orders_resting ON till_orders (updated_at) WHERE ${restingOrders}`,
  `CREATE INDEX IF NOT EXISTS till_orders_status ON till_orders (status, created_at, id)`,
  `CREATE INDEX IF NOT EXISTS till_orders_created ON till_orders (created_at, id)`
]

/** Lists the orders of an email, until it is erased, and of an item. */
const named = ({ email, item }: Readonly<Record<"email" | "item", string>>): ReadonlyArray<string> => [
  `CREATE INDEX IF NOT EXISTS till_orders_email ON till_orders ((${email}), created_at, id)`,
  `CREATE INDEX IF NOT EXISTS till_orders_item ON till_orders ((${item}), created_at, id)`
]

/** Quotes and orders. */
export const orderTables = {
  sqlite: [...tables, ...named(orderNames.sqlite)],
  postgres: [...tables, ...named(orderNames.postgres)]
}
