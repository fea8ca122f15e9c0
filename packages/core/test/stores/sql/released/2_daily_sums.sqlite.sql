DROP INDEX IF EXISTS till_charges_settled;

CREATE INDEX IF NOT EXISTS till_charges_settlements ON till_charges (settled_at, key) WHERE state = 'settled';

DROP INDEX IF EXISTS till_orders_known;

CREATE INDEX IF NOT EXISTS till_orders_resting ON till_orders (updated_at) WHERE personal IS NOT NULL AND due_at IS NULL
      AND CASE WHEN status IN ('abandoned', 'placed', 'shipped', 'delivered', 'refunded') THEN 1 ELSE 0 END = 1;

CREATE TABLE IF NOT EXISTS till_ledger_days (
    day TEXT NOT NULL,
    operation TEXT NOT NULL,
    network TEXT NOT NULL,
    asset TEXT NOT NULL,
    kind TEXT NOT NULL,
    entries BIGINT NOT NULL,
    high BIGINT NOT NULL,
    low BIGINT NOT NULL,
    PRIMARY KEY (day, operation, network, asset, kind)
  ) WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS till_ledger_summed AFTER INSERT ON till_ledger
    BEGIN
      INSERT INTO till_ledger_days (day, operation, network, asset, kind, entries, high, low)
      VALUES (NEW.day, NEW.operation, NEW.network, NEW.asset, NEW.kind, 1, CAST(substr(NEW.amount, 1, length(NEW.amount) - 9) AS INTEGER), CAST(substr(NEW.amount, -9) AS INTEGER))
      ON CONFLICT (day, operation, network, asset, kind) DO UPDATE SET entries = entries + 1, high = high + excluded.high, low = low + excluded.low;
    END;

INSERT OR REPLACE INTO till_ledger_days (day, operation, network, asset, kind, entries, high, low)
    SELECT day, operation, network, asset, kind, COUNT(*), SUM(CAST(substr(amount, 1, length(amount) - 9) AS INTEGER)), SUM(CAST(substr(amount, -9) AS INTEGER)) FROM till_ledger GROUP BY day, operation, network, asset, kind;
