import { restingOrders } from "./orderConditions.ts"
import { lowDigits } from "./sums.ts"

/*
 * The second migration: sums of the ledger by day, so that totals need not read every entry, and indexes for what is
 * read page by page. It is frozen, as the first one is, and so are the conditions of its indexes: a test compares its
 * digest.
 *
 * A host may run its statements one by one, more than once, and while tills of the first schema settle.
 */

const indexes = [
  // Dropped first: on PostgreSQL this locks more than the creation does, and to lock more in a second step would
  // deadlock with a transaction that has read the table and then writes to it.
  "DROP INDEX IF EXISTS till_charges_settled",
  `CREATE INDEX IF NOT EXISTS till_charges_settlements ON till_charges (settled_at, key) WHERE state = 'settled'`,
  "DROP INDEX IF EXISTS till_orders_known",
  `CREATE INDEX IF NOT EXISTS till_orders_resting ON till_orders (updated_at) WHERE ${restingOrders}`
]

const group = "day, operation, network, asset, kind"

const groupColumns = `
    day TEXT NOT NULL,
    operation TEXT NOT NULL,
    network TEXT NOT NULL,
    asset TEXT NOT NULL,
    kind TEXT NOT NULL`

/** The two parts of an amount, as in `sumColumns`. */
const high = (amount: string) => `CAST(substr(${amount}, 1, length(${amount}) - ${lowDigits}) AS INTEGER)`
const low = (amount: string) => `CAST(substr(${amount}, -${lowDigits}) AS INTEGER)`

const sqlite = [
  ...indexes,
  `CREATE TABLE IF NOT EXISTS till_ledger_days (${groupColumns},
    entries BIGINT NOT NULL,
    high BIGINT NOT NULL,
    low BIGINT NOT NULL,
    PRIMARY KEY (${group})
  ) WITHOUT ROWID`,
  `CREATE TRIGGER IF NOT EXISTS till_ledger_summed AFTER INSERT ON till_ledger
    BEGIN
      INSERT INTO till_ledger_days (${group}, entries, high, low)
      VALUES (NEW.day, NEW.operation, NEW.network, NEW.asset, NEW.kind, 1, ${high("NEW.amount")}, ${low("NEW.amount")})
      ON CONFLICT (${group}) DO UPDATE SET entries = entries + 1, high = high + excluded.high, low = low + excluded.low;
    END`,
  // After the trigger, so that no entry is missed; it replaces what the trigger has summed so far.
  `INSERT OR REPLACE INTO till_ledger_days (${group}, entries, high, low)
    SELECT ${group}, COUNT(*), SUM(${high("amount")}), SUM(${low("amount")}) FROM till_ledger GROUP BY ${group}`
]

/**
 * Rows of one sum: connections that settle at the same time mostly add to different ones, and don't wait. Half of each
 * page stays free for the next versions of its rows, which need no change of the index there.
 */
const slots = 32

const postgres = [
  ...indexes,
  `CREATE TABLE IF NOT EXISTS till_ledger_days (${groupColumns},
    slot BIGINT NOT NULL,
    entries BIGINT NOT NULL,
    amount NUMERIC NOT NULL,
    PRIMARY KEY (${group}, slot)
  ) WITH (fillfactor = 50)`,
  `CREATE OR REPLACE FUNCTION till_sum() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO till_ledger_days AS days (${group}, slot, entries, amount)
    VALUES (NEW.day, NEW.operation, NEW.network, NEW.asset, NEW.kind, pg_backend_pid() % ${slots}, 1,
      CAST(NEW.amount AS NUMERIC))
    ON CONFLICT (${group}, slot) DO UPDATE SET entries = days.entries + 1, amount = days.amount + EXCLUDED.amount;
    RETURN NULL;
  END $$`,
  // Waits for entries that are being written: all later ones are summed.
  `CREATE OR REPLACE TRIGGER till_ledger_summed AFTER INSERT ON till_ledger
    FOR EACH ROW EXECUTE FUNCTION till_sum()`,
  // In a slot of their own: the entries that no other slot has.
  `INSERT INTO till_ledger_days (${group}, slot, entries, amount)
    SELECT ${group}, -1, known.entries - COALESCE(summed.entries, 0), known.amount - COALESCE(summed.amount, 0)
    FROM (
      SELECT ${group}, COUNT(*) AS entries, SUM(CAST(amount AS NUMERIC)) AS amount FROM till_ledger GROUP BY ${group}
    ) AS known LEFT JOIN (
      SELECT ${group}, SUM(entries) AS entries, SUM(amount) AS amount FROM till_ledger_days WHERE slot >= 0
      GROUP BY ${group}
    ) AS summed USING (${group})
    ON CONFLICT (${group}, slot) DO UPDATE SET entries = EXCLUDED.entries, amount = EXCLUDED.amount`
]

/** Orders text by code points on PostgreSQL, as SQLite does, instead of the database's language. */
const byCodePoint = (statement: string): string => statement.replace(/ TEXT\b/g, ' TEXT COLLATE "C"')

/** The statements of the second migration, in their order. */
export const dailySums = { sqlite, postgres: postgres.map(byCodePoint) }
