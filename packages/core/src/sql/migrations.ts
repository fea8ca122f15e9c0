import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"

/** Where it is recorded which migrations have run. */
const table = "till_migrations"

/** One schema for SQLite and PostgreSQL: text, and whole numbers for milliseconds and counts. */
const initial = [
  `CREATE TABLE IF NOT EXISTS till_charges (
    key TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    lease_owner TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    valid_before BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    settled_at BIGINT,
    document TEXT NOT NULL,
    settlement TEXT,
    answer TEXT,
    subject TEXT,
    receipt TEXT
  )`,
  `CREATE INDEX IF NOT EXISTS till_charges_unfinished ON till_charges (lease_until) WHERE state = 'ready'`,
  `CREATE INDEX IF NOT EXISTS till_charges_settled ON till_charges (settled_at) WHERE state = 'settled'`,
  `CREATE INDEX IF NOT EXISTS till_charges_created ON till_charges (created_at, key)`,
  `CREATE TABLE IF NOT EXISTS till_quotes (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    offer TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    consumed_by TEXT
  )`,
  // At most one quote of a request is unconsumed: what makes "one live quote per request" a fact.
  `CREATE UNIQUE INDEX IF NOT EXISTS till_quotes_live ON till_quotes (fingerprint) WHERE consumed_by IS NULL`,
  `CREATE INDEX IF NOT EXISTS till_quotes_consumed ON till_quotes (consumed_by) WHERE consumed_by IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_quotes_expires ON till_quotes (expires_at)`,
  `CREATE TABLE IF NOT EXISTS till_orders (
    id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    upstream_reference TEXT,
    document TEXT NOT NULL
  )`,
  `CREATE INDEX IF NOT EXISTS till_orders_status ON till_orders (status, updated_at)`,
  `CREATE INDEX IF NOT EXISTS till_orders_created ON till_orders (created_at, id)`,
  `CREATE TABLE IF NOT EXISTS till_vault_items (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    position BIGINT NOT NULL,
    product_type TEXT NOT NULL,
    category TEXT NOT NULL,
    price BIGINT NOT NULL,
    downloads BIGINT NOT NULL,
    search TEXT NOT NULL,
    document TEXT NOT NULL
  )`,
  `CREATE INDEX IF NOT EXISTS till_vault_items_position ON till_vault_items (position, id)`,
  `CREATE TABLE IF NOT EXISTS till_vault_purchases (
    id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    document TEXT NOT NULL
  )`
]

const statements = (texts: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(texts, (text) => sql.unsafe(text), { discard: true })
  )

/** The schema as SQL, for hosts that run migrations themselves. */
export const schemaSql = `${initial.join(";\n\n")};\n`

/** Brings the schema up to date; two processes that start at once wait for each other. */
export const migrate = Migrator.make({})({
  loader: Migrator.fromRecord({ "0001_initial": statements(initial) }),
  table
})
