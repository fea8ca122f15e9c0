CREATE TABLE IF NOT EXISTS till_vault_archives (
    item_id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    digest TEXT NOT NULL,
    size BIGINT NOT NULL,
    published_at BIGINT NOT NULL,
    PRIMARY KEY (item_id, version)
  );

CREATE INDEX IF NOT EXISTS till_vault_purchases_sold ON till_vault_purchases ((CAST(document AS json) ->> 'slug')) WHERE status = 'granted';
