CREATE TABLE IF NOT EXISTS till_vault_archives (
    item_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    digest TEXT NOT NULL,
    size BIGINT NOT NULL,
    published_at BIGINT NOT NULL,
    PRIMARY KEY (item_id, version)
  ) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS till_vault_purchases_sold ON till_vault_purchases (json_extract(document, '$.slug')) WHERE status = 'granted';
