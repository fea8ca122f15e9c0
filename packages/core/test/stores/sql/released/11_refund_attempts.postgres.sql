CREATE TABLE IF NOT EXISTS till_refund_attempts (
    charge_key TEXT COLLATE "C" NOT NULL,
    refund_number BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    wallet TEXT COLLATE "C" NOT NULL,
    amount TEXT COLLATE "C" NOT NULL,
    nonce TEXT COLLATE "C" NOT NULL,
    not_before BIGINT NOT NULL,
    valid_before BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (charge_key, refund_number, sequence)
  );
