ALTER TABLE till_vault_items ADD COLUMN IF NOT EXISTS terms_version BIGINT NOT NULL DEFAULT 0;

ALTER TABLE till_vault_items ADD COLUMN IF NOT EXISTS listed BIGINT NOT NULL DEFAULT 1;

ALTER TABLE till_vault_items ADD COLUMN IF NOT EXISTS terms tsvector GENERATED ALWAYS AS (
    CASE WHEN terms_version = 0 THEN to_tsvector('pg_catalog.simple', left(search, 100000))
      ELSE array_to_tsvector(string_to_array(search, ' ')) END
  ) STORED;

CREATE INDEX IF NOT EXISTS till_vault_items_cursor ON till_vault_items (LOWER(id));

CREATE INDEX IF NOT EXISTS till_vault_items_listed ON till_vault_items (position, id) WHERE listed = 1;

CREATE INDEX IF NOT EXISTS till_vault_items_terms_due ON till_vault_items (id) WHERE terms_version = 0;

CREATE INDEX IF NOT EXISTS till_vault_items_terms ON till_vault_items USING gin (terms);

CREATE INDEX IF NOT EXISTS till_vault_items_category ON till_vault_items (category, position, id) WHERE listed = 1;

CREATE INDEX IF NOT EXISTS till_vault_items_product_type ON till_vault_items (product_type, position, id) WHERE listed = 1;

CREATE INDEX IF NOT EXISTS till_vault_items_category_and_type ON till_vault_items (category, product_type, position, id) WHERE listed = 1;

CREATE INDEX IF NOT EXISTS till_vault_items_price ON till_vault_items (price, position, id) WHERE listed = 1;
