CREATE TABLE IF NOT EXISTS till_vault_downloads (
    item_id TEXT NOT NULL,
    slot BIGINT NOT NULL,
    downloads BIGINT NOT NULL,
    PRIMARY KEY (item_id, slot)
  ) WITHOUT ROWID;
