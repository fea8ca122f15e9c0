/*
 * The sixth migration: which charges have downloaded a purchase, for hosts that limit them. It is frozen, as the ones before
 * are: a test compares its digest.
 */

const columns = (text: string) => `
    purchase_id ${text} NOT NULL,
    charge_key ${text} NOT NULL,
    PRIMARY KEY (purchase_id, charge_key)`

/** The statements of the sixth migration. */
export const purchaseDownloads = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS till_purchase_downloads (${columns("TEXT")}
  ) WITHOUT ROWID`
  ],
  postgres: [
    `CREATE TABLE IF NOT EXISTS till_purchase_downloads (${columns('TEXT COLLATE "C"')}
  )`
  ]
}
