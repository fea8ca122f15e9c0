DROP INDEX IF EXISTS till_charges_settled;

CREATE INDEX IF NOT EXISTS till_charges_settlements ON till_charges (settled_at, key) WHERE state = 'settled';

DROP INDEX IF EXISTS till_orders_known;

CREATE INDEX IF NOT EXISTS till_orders_resting ON till_orders (updated_at) WHERE personal IS NOT NULL AND due_at IS NULL
      AND CASE WHEN status IN ('abandoned', 'placed', 'shipped', 'delivered', 'refunded') THEN 1 ELSE 0 END = 1;

CREATE TABLE IF NOT EXISTS till_ledger_days (
    day TEXT COLLATE "C" NOT NULL,
    operation TEXT COLLATE "C" NOT NULL,
    network TEXT COLLATE "C" NOT NULL,
    asset TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    slot BIGINT NOT NULL,
    entries BIGINT NOT NULL,
    amount NUMERIC NOT NULL,
    PRIMARY KEY (day, operation, network, asset, kind, slot)
  ) WITH (fillfactor = 50);

CREATE OR REPLACE FUNCTION till_sum() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO till_ledger_days AS days (day, operation, network, asset, kind, slot, entries, amount)
    VALUES (NEW.day, NEW.operation, NEW.network, NEW.asset, NEW.kind, pg_backend_pid() % 32, 1,
      CAST(NEW.amount AS NUMERIC))
    ON CONFLICT (day, operation, network, asset, kind, slot) DO UPDATE SET entries = days.entries + 1, amount = days.amount + EXCLUDED.amount;
    RETURN NULL;
  END $$;

CREATE OR REPLACE TRIGGER till_ledger_summed AFTER INSERT ON till_ledger
    FOR EACH ROW EXECUTE FUNCTION till_sum();

INSERT INTO till_ledger_days (day, operation, network, asset, kind, slot, entries, amount)
    SELECT day, operation, network, asset, kind, -1, known.entries - COALESCE(summed.entries, 0), known.amount - COALESCE(summed.amount, 0)
    FROM (
      SELECT day, operation, network, asset, kind, COUNT(*) AS entries, SUM(CAST(amount AS NUMERIC)) AS amount FROM till_ledger GROUP BY day, operation, network, asset, kind
    ) AS known LEFT JOIN (
      SELECT day, operation, network, asset, kind, SUM(entries) AS entries, SUM(amount) AS amount FROM till_ledger_days WHERE slot >= 0
      GROUP BY day, operation, network, asset, kind
    ) AS summed USING (day, operation, network, asset, kind)
    ON CONFLICT (day, operation, network, asset, kind, slot) DO UPDATE SET entries = EXCLUDED.entries, amount = EXCLUDED.amount;
