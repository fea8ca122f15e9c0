/*
 * The vault. `search` has the terms of an item, separated by spaces, which each engine indexes in its way.
 */

const itemColumns = `
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    position BIGINT NOT NULL,
    product_type TEXT NOT NULL,
    category TEXT NOT NULL,
    price BIGINT NOT NULL,
    downloads BIGINT NOT NULL,
    search TEXT NOT NULL,
    listed BIGINT NOT NULL DEFAULT 1,
    document TEXT NOT NULL`

const itemIndexes = [
  `CREATE INDEX IF NOT EXISTS till_vault_items_position ON till_vault_items (position, id)`,
  // LOWER, since cursors are UUIDs in any case.
  `CREATE INDEX IF NOT EXISTS till_vault_items_cursor ON till_vault_items (LOWER(id))`,
  // In the order of the listing, and with what filters compare: items that they leave out aren't read.
  `CREATE INDEX IF NOT EXISTS till_vault_items_listed
    ON till_vault_items (position, id, category, product_type, price) WHERE listed = 1`,
  `CREATE INDEX IF NOT EXISTS till_vault_items_category
    ON till_vault_items (category, position, id, product_type, price) WHERE listed = 1`,
  `CREATE INDEX IF NOT EXISTS till_vault_items_type
    ON till_vault_items (product_type, position, id, category, price) WHERE listed = 1`,
  `CREATE INDEX IF NOT EXISTS till_vault_items_price
    ON till_vault_items (price, position, id, category, product_type) WHERE listed = 1`
]

/** Rows of the index have the position of their item as id: it reads them in the order of the listing. */
const entry = `INSERT INTO till_vault_search (rowid, terms)
      SELECT NEW.position, NEW.search WHERE NEW.listed = 1`

const sqliteItems = [
  `CREATE TABLE IF NOT EXISTS till_vault_items (${itemColumns}
  )`,
  ...itemIndexes,
  // The tokenizer `ascii` takes every character beyond ASCII as a letter: terms stay whole.
  `CREATE VIRTUAL TABLE IF NOT EXISTS till_vault_search USING fts5 (
    terms,
    content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'column', prefix = '1 2 3 4 5'
  )`,
  `CREATE TRIGGER IF NOT EXISTS till_vault_items_added AFTER INSERT ON till_vault_items
    BEGIN
      ${entry};
    END`,
  `CREATE TRIGGER IF NOT EXISTS till_vault_items_changed
    AFTER UPDATE OF search, position, listed ON till_vault_items
    BEGIN
      DELETE FROM till_vault_search WHERE rowid = OLD.position;
      ${entry};
    END`,
  `CREATE TRIGGER IF NOT EXISTS till_vault_items_deleted AFTER DELETE ON till_vault_items
    BEGIN
      DELETE FROM till_vault_search WHERE rowid = OLD.position;
    END`
]

const postgresItems = [
  // Terms are lexemes as they are.
  `CREATE TABLE IF NOT EXISTS till_vault_items (${itemColumns},
    terms TSVECTOR GENERATED ALWAYS AS (array_to_tsvector(string_to_array(search, ' '))) STORED
  )`,
  // For the planner: by default it takes a term that isn't among the most common ones to be in thousands of a million items.
  `ALTER TABLE till_vault_items ALTER COLUMN terms SET STATISTICS 500`,
  ...itemIndexes,
  `CREATE INDEX IF NOT EXISTS till_vault_items_terms ON till_vault_items USING gin (terms)`
]

/** Downloads have rows of their own: one doesn't wait for a change of the item. */
const downloads = `CREATE TABLE IF NOT EXISTS till_vault_downloads (
    item_id TEXT PRIMARY KEY,
    downloads BIGINT NOT NULL
  )`

const archives = `CREATE TABLE IF NOT EXISTS till_vault_archives (
    item_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    digest TEXT NOT NULL,
    size BIGINT NOT NULL,
    published_at BIGINT NOT NULL,
    PRIMARY KEY (item_id, version)
  )`

const purchases = [
  `CREATE TABLE IF NOT EXISTS till_vault_purchases (
    id TEXT PRIMARY KEY,
    key_id TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    due_at BIGINT,
    attempts BIGINT NOT NULL,
    token_number BIGINT NOT NULL DEFAULT 0,
    email TEXT,
    document TEXT NOT NULL
  )`,
  `CREATE INDEX IF NOT EXISTS till_vault_purchases_created ON till_vault_purchases (created_at, id)
    WHERE status = 'granted'`,
  `CREATE INDEX IF NOT EXISTS till_vault_purchases_email ON till_vault_purchases (lower(email), created_at, id)
    WHERE status = 'granted'`,
  `CREATE INDEX IF NOT EXISTS till_vault_purchases_due ON till_vault_purchases (due_at, id) WHERE due_at IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_vault_purchases_known ON till_vault_purchases (created_at)
    WHERE email IS NOT NULL AND due_at IS NULL AND status = 'granted'`,
  `CREATE INDEX IF NOT EXISTS till_vault_purchases_key ON till_vault_purchases (key_id, created_at)`
]

/** Lists and counts the sales of an item. */
const sold = (slug: string) =>
  `CREATE INDEX IF NOT EXISTS till_vault_purchases_sold ON till_vault_purchases (${slug}, created_at, id)
    WHERE status = 'granted'`

/** Which charges have downloaded a purchase, for hosts that limit them. */
const purchaseDownloads = `CREATE TABLE IF NOT EXISTS till_purchase_downloads (
    purchase_id TEXT NOT NULL,
    charge_key TEXT NOT NULL,
    PRIMARY KEY (purchase_id, charge_key)
  )`

/** Proofs of the buyer's wallet that were used, for free downloads or, with 0 bytes, for new tokens. */
const freeDownloads = `CREATE TABLE IF NOT EXISTS till_free_downloads (
    purchase_id TEXT NOT NULL,
    nonce TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (purchase_id, nonce)
  )`

/** Items, their archives and downloads, and purchases. */
export const vaultTables = {
  sqlite: [
    ...sqliteItems,
    ...[downloads, archives, purchaseDownloads, freeDownloads].map((table) => `${table} WITHOUT ROWID`),
    ...purchases,
    sold("json_extract(document, '$.slug')")
  ],
  postgres: [
    ...postgresItems,
    downloads,
    archives,
    purchaseDownloads,
    freeDownloads,
    ...purchases,
    sold("(CAST(document AS json) ->> 'slug')")
  ]
}
