INSERT INTO till_refund_attempts
    (charge_key, refund_number, sequence, wallet, amount, nonce, not_before, valid_before, at)
  SELECT key, 1, 1, '', amount, '', refund_started_at / 1000, CAST(strftime('%s', 'now') AS INTEGER) + 7200, CAST(strftime('%s', 'now') AS INTEGER) * 1000
  FROM till_charges AS charge
  WHERE refund_started_at IS NOT NULL AND refunded_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM till_refund_attempts WHERE charge_key = charge.key);
