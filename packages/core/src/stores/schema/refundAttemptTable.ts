/*
 * The tenth migration: attempts to send a refund, so that two wallets of one store don't both pay it. It is frozen, as the
 * ones before are: a test compares its digest.
 */

const columns = (text: string) => `
    charge_key ${text} NOT NULL,
    refund_number BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    wallet ${text} NOT NULL,
    amount ${text} NOT NULL,
    nonce ${text} NOT NULL,
    not_before BIGINT NOT NULL,
    valid_before BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (charge_key, refund_number, sequence)`

/** The statements of the tenth migration. */
export const refundAttemptTable = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS till_refund_attempts (${columns("TEXT")}
  ) WITHOUT ROWID`
  ],
  postgres: [
    `CREATE TABLE IF NOT EXISTS till_refund_attempts (${columns('TEXT COLLATE "C"')}
  )`
  ]
}
