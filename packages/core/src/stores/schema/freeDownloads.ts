/*
 * The eighth migration: free downloads by a proof of the buyer's wallet, for a day each. It is frozen, as the ones before
 * are: a test compares its digest.
 */

const columns = (text: string) => `
    purchase_id ${text} NOT NULL,
    nonce ${text} NOT NULL,
    bytes BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (purchase_id, nonce)`

/** The statements of the eighth migration. */
export const freeDownloads = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS till_free_downloads (${columns("TEXT")}
  ) WITHOUT ROWID`
  ],
  postgres: [
    `CREATE TABLE IF NOT EXISTS till_free_downloads (${columns('TEXT COLLATE "C"')}
  )`
  ]
}
