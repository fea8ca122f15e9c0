import type { LedgerKind } from "../../ports/Charges.ts"

/*
 * The ledger. Triggers write it, in the statement that changes the charge: no writer can omit an entry or change one.
 */

const tables = [
  `CREATE TABLE IF NOT EXISTS till_ledger (
    charge_key TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('settled', 'refund_due', 'refunded', 'reversed')),
    round BIGINT NOT NULL,
    at BIGINT NOT NULL,
    day TEXT NOT NULL,
    operation TEXT NOT NULL,
    network TEXT NOT NULL,
    asset TEXT NOT NULL,
    payer TEXT NOT NULL,
    pay_to TEXT NOT NULL,
    amount TEXT NOT NULL,
    transaction_hash TEXT,
    transfer_log_index BIGINT,
    PRIMARY KEY (charge_key, kind, round)
  )`,
  `CREATE INDEX IF NOT EXISTS till_ledger_at ON till_ledger (at, charge_key, kind, round)`,
  `CREATE INDEX IF NOT EXISTS till_ledger_payer ON till_ledger (payer, at)`
]

/** A ledger entry: the change of a charge that it records, and its fields. */
interface Entered {
  readonly kind: LedgerKind
  /** The columns whose change it records, with the condition on `OLD` and `NEW`. */
  readonly of: string
  readonly when: string
  readonly at: string
  readonly transaction: string
  readonly logIndex: string
}

const firstSet = (column: string) => ({
  of: column,
  when: `OLD.${column} IS NULL AND NEW.${column} IS NOT NULL`,
  at: `NEW.${column}`
})

const entered: ReadonlyArray<Entered> = [
  {
    kind: "settled",
    ...firstSet("settled_at"),
    transaction: "NEW.transaction_hash",
    logIndex: "NEW.transfer_log_index"
  },
  { kind: "refund_due", ...firstSet("refund_due_at"), transaction: "NULL", logIndex: "NULL" },
  { kind: "refunded", ...firstSet("refunded_at"), transaction: "NEW.refund_transaction", logIndex: "NULL" },
  {
    kind: "reversed",
    of: "reopenings",
    when: "NEW.reopenings > OLD.reopenings",
    at: "NEW.reversed_at",
    transaction: "OLD.transaction_hash",
    logIndex: "OLD.transfer_log_index"
  }
]

/** The round of an entry: the number of settlements of its charge that were reversed before. */
const round = `(SELECT COUNT(*) FROM till_ledger WHERE charge_key = NEW.key AND kind = 'reversed')`

const entry = ({ at, kind, logIndex, transaction }: Entered, day: string): string =>
  `INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount,
      transaction_hash, transfer_log_index)
    VALUES (NEW.key, '${kind}', ${round}, ${at}, ${day}, NEW.operation, NEW.network, NEW.asset, NEW.payer, NEW.pay_to,
      NEW.amount, ${transaction}, ${logIndex});`

const sqliteTriggers = [
  ...entered.map(
    (made) =>
      `CREATE TRIGGER IF NOT EXISTS till_charges_${made.kind} AFTER UPDATE OF ${made.of} ON till_charges
    WHEN ${made.when}
    BEGIN ${entry(made, `date(${made.at} / 1000, 'unixepoch')`)} END`
  ),
  ...["UPDATE", "DELETE"].map(
    (verb) =>
      `CREATE TRIGGER IF NOT EXISTS till_ledger_no_${verb.toLowerCase()} BEFORE ${verb} ON till_ledger
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END`
  )
]

const postgresTriggers = [
  `CREATE OR REPLACE FUNCTION till_enter() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    ${entered
      .map(
        (made) =>
          `IF ${made.when} THEN ${entry(made, `to_char(to_timestamp(${made.at} / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`)} END IF;`
      )
      .join("\n    ")}
    RETURN NULL;
  END $$`,
  `CREATE OR REPLACE TRIGGER till_charges_entered AFTER UPDATE OF ${entered.map(({ of }) => of).join(", ")}
    ON till_charges FOR EACH ROW EXECUTE FUNCTION till_enter()`,
  `CREATE OR REPLACE FUNCTION till_keep() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$`,
  `CREATE OR REPLACE TRIGGER till_ledger_kept BEFORE UPDATE OR DELETE ON till_ledger
    FOR EACH ROW EXECUTE FUNCTION till_keep()`
]

/** The ledger. */
export const ledgerTables = {
  sqlite: [...tables, ...sqliteTriggers],
  postgres: [...tables, ...postgresTriggers]
}
