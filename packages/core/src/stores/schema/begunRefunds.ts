/*
 * The twelfth migration: refunds that the versions before had begun and not recorded as sent get an attempt of an
 * unknown wallet, since those versions recorded none. It may move until two hours after the migration: processes of an
 * earlier version have an hour to stop, and what they sign is valid for another. It is frozen, as the ones before are.
 */

const insert = (nowSeconds: string) => `INSERT INTO till_refund_attempts
    (charge_key, refund_number, sequence, wallet, amount, nonce, not_before, valid_before, at)
  SELECT key, 1, 1, '', amount, '', refund_started_at / 1000, ${nowSeconds} + 7200, ${nowSeconds} * 1000
  FROM till_charges AS charge
  WHERE refund_started_at IS NOT NULL AND refunded_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM till_refund_attempts WHERE charge_key = charge.key)`

/** The statements of the twelfth migration. */
export const begunRefunds = {
  sqlite: [insert("CAST(strftime('%s', 'now') AS INTEGER)")],
  postgres: [insert("CAST(EXTRACT(EPOCH FROM now()) AS BIGINT)")]
}
