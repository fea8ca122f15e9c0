ALTER TABLE till_vault_items ADD COLUMN terms_version BIGINT NOT NULL DEFAULT 0;

ALTER TABLE till_vault_items ADD COLUMN listed BIGINT NOT NULL DEFAULT 1;

CREATE INDEX IF NOT EXISTS till_vault_items_cursor ON till_vault_items (LOWER(id));

CREATE INDEX IF NOT EXISTS till_vault_items_listed ON till_vault_items (position, id) WHERE listed = 1;

CREATE INDEX IF NOT EXISTS till_vault_items_terms_due ON till_vault_items (id) WHERE terms_version = 0;

CREATE VIRTUAL TABLE IF NOT EXISTS till_vault_search USING fts5 (
    terms,
    facets,
    content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'column', prefix = '1 2 3 4 5'
  );

CREATE TRIGGER IF NOT EXISTS till_vault_items_added AFTER INSERT ON till_vault_items
    BEGIN
      INSERT INTO till_vault_search (rowid, terms, facets)
      SELECT NEW.position, NEW.search, NEW.category || ' ' || NEW.product_type || ' ' || 'p0x' || (MAX(0, MIN(NEW.price, 262143)) >> 0) || ' ' || 'p2x' || (MAX(0, MIN(NEW.price, 262143)) >> 2) || ' ' || 'p4x' || (MAX(0, MIN(NEW.price, 262143)) >> 4) || ' ' || 'p6x' || (MAX(0, MIN(NEW.price, 262143)) >> 6) || ' ' || 'p8x' || (MAX(0, MIN(NEW.price, 262143)) >> 8) || ' ' || 'p10x' || (MAX(0, MIN(NEW.price, 262143)) >> 10) || ' ' || 'p12x' || (MAX(0, MIN(NEW.price, 262143)) >> 12) || ' ' || 'p14x' || (MAX(0, MIN(NEW.price, 262143)) >> 14) || ' ' || 'p16x' || (MAX(0, MIN(NEW.price, 262143)) >> 16) WHERE NEW.listed = 1;
    END;

CREATE TRIGGER IF NOT EXISTS till_vault_items_changed
    AFTER UPDATE OF search, category, product_type, price, position, listed ON till_vault_items
    BEGIN
      DELETE FROM till_vault_search WHERE rowid = OLD.position;
      INSERT INTO till_vault_search (rowid, terms, facets)
      SELECT NEW.position, NEW.search, NEW.category || ' ' || NEW.product_type || ' ' || 'p0x' || (MAX(0, MIN(NEW.price, 262143)) >> 0) || ' ' || 'p2x' || (MAX(0, MIN(NEW.price, 262143)) >> 2) || ' ' || 'p4x' || (MAX(0, MIN(NEW.price, 262143)) >> 4) || ' ' || 'p6x' || (MAX(0, MIN(NEW.price, 262143)) >> 6) || ' ' || 'p8x' || (MAX(0, MIN(NEW.price, 262143)) >> 8) || ' ' || 'p10x' || (MAX(0, MIN(NEW.price, 262143)) >> 10) || ' ' || 'p12x' || (MAX(0, MIN(NEW.price, 262143)) >> 12) || ' ' || 'p14x' || (MAX(0, MIN(NEW.price, 262143)) >> 14) || ' ' || 'p16x' || (MAX(0, MIN(NEW.price, 262143)) >> 16) WHERE NEW.listed = 1;
    END;

CREATE TRIGGER IF NOT EXISTS till_vault_items_deleted AFTER DELETE ON till_vault_items
    BEGIN
      DELETE FROM till_vault_search WHERE rowid = OLD.position;
    END;

UPDATE till_vault_items SET listed = listed;
