CREATE TABLE IF NOT EXISTS till_purchase_downloads (
    purchase_id TEXT COLLATE "C" NOT NULL,
    charge_key TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (purchase_id, charge_key)
  );
