CREATE TABLE IF NOT EXISTS till_vault_downloads (
    item_id TEXT COLLATE "C" NOT NULL,
    slot BIGINT NOT NULL,
    downloads BIGINT NOT NULL,
    PRIMARY KEY (item_id, slot)
  ) WITH (fillfactor = 50);
