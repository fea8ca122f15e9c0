/*
 * The fifth migration: the published archives of vault items, and an index that counts the sales of an item. It is
 * frozen, as the ones before are: a test compares its digest.
 */

const columns = (text: string) => `
    item_id ${text} NOT NULL,
    version BIGINT NOT NULL,
    digest TEXT NOT NULL,
    size BIGINT NOT NULL,
    published_at BIGINT NOT NULL,
    PRIMARY KEY (item_id, version)`

const sold = (slug: string) =>
  `CREATE INDEX IF NOT EXISTS till_vault_purchases_sold ON till_vault_purchases (${slug}) WHERE status = 'granted'`

/** The statements of the fifth migration, in their order. */
export const vaultArchives = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS till_vault_archives (${columns("TEXT")}
  ) WITHOUT ROWID`,
    sold("json_extract(document, '$.slug')")
  ],
  postgres: [
    `CREATE TABLE IF NOT EXISTS till_vault_archives (${columns('TEXT COLLATE "C"')}
  )`,
    sold("(CAST(document AS json) ->> 'slug')")
  ]
}
