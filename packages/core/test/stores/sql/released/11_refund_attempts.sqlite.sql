CREATE TABLE IF NOT EXISTS till_refund_attempts (
    charge_key TEXT NOT NULL,
    refund_number BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    wallet TEXT NOT NULL,
    amount TEXT NOT NULL,
    nonce TEXT NOT NULL,
    not_before BIGINT NOT NULL,
    valid_before BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (charge_key, refund_number, sequence)
  ) WITHOUT ROWID;
