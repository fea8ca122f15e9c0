/*
 * The fourth migration: downloads of vault items have rows of their own, so that a download waits for no other one, nor
 * for a change of the item. It is frozen, as the ones before are: a test compares its digest.
 *
 * An item's downloads are those in its row, from before, and these.
 */

const columns = (text: string) => `
    item_id ${text} NOT NULL,
    slot BIGINT NOT NULL,
    downloads BIGINT NOT NULL,
    PRIMARY KEY (item_id, slot)`

/** The statements of the fourth migration. */
export const downloadCounts = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS till_vault_downloads (${columns("TEXT")}
  ) WITHOUT ROWID`
  ],
  postgres: [
    `CREATE TABLE IF NOT EXISTS till_vault_downloads (${columns('TEXT COLLATE "C"')}
  ) WITH (fillfactor = 50)`
  ]
}
