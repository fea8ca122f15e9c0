CREATE TABLE IF NOT EXISTS till_free_downloads (
    purchase_id TEXT NOT NULL,
    nonce TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (purchase_id, nonce)
  ) WITHOUT ROWID;
