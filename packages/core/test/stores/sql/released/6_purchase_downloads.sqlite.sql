CREATE TABLE IF NOT EXISTS till_purchase_downloads (
    purchase_id TEXT NOT NULL,
    charge_key TEXT NOT NULL,
    PRIMARY KEY (purchase_id, charge_key)
  ) WITHOUT ROWID;
