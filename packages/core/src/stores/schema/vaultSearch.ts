/*
 * The third migration: a full-text index of the vault's items, indexes for its filters and cursors, and items that are
 * not listed. It is frozen, as the ones before are: a test compares its digest.
 *
 * `search` becomes the terms of an item, separated by spaces. Rows with `terms_version` 0 have it in the form of before:
 * they are found by their plain words until the next start writes their terms (`stores/sql/vaultTerms.ts`).
 *
 * On PostgreSQL a host may run its statements more than once. SQLite can't add a column only where it is missing.
 */

const indexes = [
  // LOWER, since cursors are UUIDs in any case.
  `CREATE INDEX IF NOT EXISTS till_vault_items_cursor ON till_vault_items (LOWER(id))`,
  `CREATE INDEX IF NOT EXISTS till_vault_items_listed ON till_vault_items (position, id) WHERE listed = 1`,
  `CREATE INDEX IF NOT EXISTS till_vault_items_terms_due ON till_vault_items (id) WHERE terms_version = 0`
]

/** Prices in the index are at most this, 4^9 - 1. */
const topPrice = 262_143
const price = `MAX(0, MIN(NEW.price, ${topPrice}))`

/**
 * The filters of an item as terms. Its price is a term in each of nine levels: `p4x15` are the prices that are 15 without
 * their last 4 bits, 240 to 255. So a range of prices is a few terms.
 */
const facets = [
  "NEW.category",
  "NEW.product_type",
  ...Array.from({ length: 9 }, (_, level) => `'p${2 * level}x' || (${price} >> ${2 * level})`)
].join(" || ' ' || ")

/** Rows of the index have the position of their item as id: it reads them in the order of the listing. */
const entry = `INSERT INTO till_vault_search (rowid, terms, facets)
      SELECT NEW.position, NEW.search, ${facets} WHERE NEW.listed = 1`

const sqlite = [
  "ALTER TABLE till_vault_items ADD COLUMN terms_version BIGINT NOT NULL DEFAULT 0",
  "ALTER TABLE till_vault_items ADD COLUMN listed BIGINT NOT NULL DEFAULT 1",
  ...indexes,
  // The tokenizer `ascii` takes every character beyond ASCII as a letter: terms stay whole.
  `CREATE VIRTUAL TABLE IF NOT EXISTS till_vault_search USING fts5 (
    terms,
    facets,
    content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'column', prefix = '1 2 3 4 5'
  )`,
  `CREATE TRIGGER IF NOT EXISTS till_vault_items_added AFTER INSERT ON till_vault_items
    BEGIN
      ${entry};
    END`,
  `CREATE TRIGGER IF NOT EXISTS till_vault_items_changed
    AFTER UPDATE OF search, category, product_type, price, position, listed ON till_vault_items
    BEGIN
      DELETE FROM till_vault_search WHERE rowid = OLD.position;
      ${entry};
    END`,
  `CREATE TRIGGER IF NOT EXISTS till_vault_items_deleted AFTER DELETE ON till_vault_items
    BEGIN
      DELETE FROM till_vault_search WHERE rowid = OLD.position;
    END`,
  // The triggers fill the index.
  "UPDATE till_vault_items SET listed = listed"
]

const postgres = [
  "ALTER TABLE till_vault_items ADD COLUMN IF NOT EXISTS terms_version BIGINT NOT NULL DEFAULT 0",
  "ALTER TABLE till_vault_items ADD COLUMN IF NOT EXISTS listed BIGINT NOT NULL DEFAULT 1",
  // Terms are lexemes as they are. The text of before may have words that are too long for one.
  `ALTER TABLE till_vault_items ADD COLUMN IF NOT EXISTS terms tsvector GENERATED ALWAYS AS (
    CASE WHEN terms_version = 0 THEN to_tsvector('pg_catalog.simple', left(search, 100000))
      ELSE array_to_tsvector(string_to_array(search, ' ')) END
  ) STORED`,
  ...indexes,
  `CREATE INDEX IF NOT EXISTS till_vault_items_terms ON till_vault_items USING gin (terms)`,
  ...[
    ["category", "category"],
    ["product_type", "product_type"],
    ["category_and_type", "category, product_type"],
    ["price", "price"]
  ].map(
    ([name, columns]) =>
      `CREATE INDEX IF NOT EXISTS till_vault_items_${name} ON till_vault_items (${columns}, position, id) WHERE listed = 1`
  )
]

/** The statements of the third migration, in their order. */
export const vaultSearch = { sqlite, postgres }
