import type { LedgerKind } from "../../ports/Charges.ts"
import {
  countsForPayer,
  transferIndex,
  unfinished,
  unfinishedDue,
  unfinishedQueue
} from "./chargeConditions.ts"

/*
 * The first migration. It was released, so it never changes, nor do the conditions of its indexes: databases exist that
 * were made by it. Append another migration to `migrations.ts` instead. A test compares its digest.
 */

/** One schema for SQLite and PostgreSQL: text, and integers for milliseconds and counts. */
const tables = [
  `CREATE TABLE IF NOT EXISTS till_charges (
    key TEXT PRIMARY KEY,
    payload_digest TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    operation TEXT NOT NULL,
    network TEXT NOT NULL,
    asset TEXT NOT NULL,
    payer TEXT NOT NULL,
    pay_to TEXT NOT NULL,
    amount TEXT NOT NULL,
    valid_before BIGINT NOT NULL,
    x402_version BIGINT NOT NULL,
    settlement TEXT NOT NULL,
    exposure BIGINT NOT NULL,
    settles_first BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    unverified_since BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('claimed', 'ready', 'settled', 'voided')),
    lease_owner TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    check_after BIGINT NOT NULL DEFAULT 0,
    response TEXT,
    response_expired_at BIGINT,
    subject TEXT,
    effect_pending BIGINT NOT NULL DEFAULT 0,
    receipt TEXT,
    transaction_hash TEXT,
    transfer_log_index BIGINT,
    awaits_finality BIGINT NOT NULL DEFAULT 0,
    reopenings BIGINT NOT NULL DEFAULT 0,
    response_owed_until BIGINT,
    settled_at BIGINT,
    refund_due_at BIGINT,
    refund_started_at BIGINT,
    refunded_at BIGINT,
    refund_transaction TEXT,
    reversed_at BIGINT
  )`,
  // One transfer settles one charge.
  `CREATE UNIQUE INDEX IF NOT EXISTS ${transferIndex} ON till_charges (network, transaction_hash, transfer_log_index)
    WHERE transfer_log_index IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_charges_unfinished
    ON till_charges ((${unfinishedQueue}), (${unfinishedDue}), created_at, key) WHERE ${unfinished}`,
  `CREATE INDEX IF NOT EXISTS till_charges_open ON till_charges (state, created_at, key) WHERE state <> 'settled'`,
  `CREATE INDEX IF NOT EXISTS till_charges_payer ON till_charges (payer) WHERE ${countsForPayer}`,
  `CREATE INDEX IF NOT EXISTS till_charges_paid ON till_charges (payer, settled_at)
    WHERE state = 'settled' AND refund_due_at IS NULL`,
  `CREATE INDEX IF NOT EXISTS till_charges_refunds ON till_charges (payer)
    WHERE refund_started_at IS NOT NULL OR refunded_at IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_charges_responses ON till_charges (settled_at)
    WHERE response IS NOT NULL AND settled_at IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_charges_owed ON till_charges (created_at, key)
    WHERE refund_due_at IS NOT NULL AND refunded_at IS NULL`,
  `CREATE INDEX IF NOT EXISTS till_charges_settled ON till_charges (settled_at) WHERE state = 'settled'`,
  `CREATE INDEX IF NOT EXISTS till_charges_created ON till_charges (created_at, key)`,
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
  `CREATE INDEX IF NOT EXISTS till_ledger_payer ON till_ledger (payer, at)`,
  // At most one row: why and since when refunds are stopped.
  `CREATE TABLE IF NOT EXISTS till_refund_stop (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    reason TEXT NOT NULL,
    at BIGINT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS till_quotes (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    offer TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    consumed_by TEXT
  )`,
  // Enforces one live quote per request.
  `CREATE UNIQUE INDEX IF NOT EXISTS till_quotes_live ON till_quotes (fingerprint) WHERE consumed_by IS NULL`,
  `CREATE INDEX IF NOT EXISTS till_quotes_consumed ON till_quotes (consumed_by) WHERE consumed_by IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_quotes_expires ON till_quotes (expires_at)`,
  `CREATE TABLE IF NOT EXISTS till_orders (
    id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    version BIGINT NOT NULL,
    due_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    upstream_reference TEXT,
    document TEXT NOT NULL,
    personal TEXT,
    progress TEXT NOT NULL
  )`,
  `CREATE INDEX IF NOT EXISTS till_orders_due ON till_orders (due_at, id) WHERE due_at IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_orders_reference ON till_orders (upstream_reference)
    WHERE upstream_reference IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_orders_known ON till_orders (updated_at) WHERE personal IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_orders_status ON till_orders (status, created_at, id)`,
  `CREATE INDEX IF NOT EXISTS till_orders_created ON till_orders (created_at, id)`,
  `CREATE TABLE IF NOT EXISTS till_vault_items (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    position BIGINT NOT NULL,
    product_type TEXT NOT NULL,
    category TEXT NOT NULL,
    price BIGINT NOT NULL,
    downloads BIGINT NOT NULL,
    search TEXT NOT NULL,
    document TEXT NOT NULL
  )`,
  `CREATE INDEX IF NOT EXISTS till_vault_items_position ON till_vault_items (position, id)`,
  `CREATE TABLE IF NOT EXISTS till_vault_purchases (
    id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    due_at BIGINT,
    attempts BIGINT NOT NULL,
    email TEXT,
    document TEXT NOT NULL
  )`,
  `CREATE INDEX IF NOT EXISTS till_vault_purchases_due ON till_vault_purchases (due_at, id) WHERE due_at IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_vault_purchases_known ON till_vault_purchases (created_at)
    WHERE email IS NOT NULL AND due_at IS NULL AND status = 'granted'`
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

/*
 * Triggers write the ledger, in the statement that changes the charge: no writer can omit an entry or change one.
 */

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

/** Orders text by code points on PostgreSQL, as SQLite does, instead of the database's language. */
const byCodePoint = (statement: string): string => statement.replace(/ TEXT\b/g, ' TEXT COLLATE "C"')

/** The statements of the first migration. */
export const initialSchema = {
  sqlite: [...tables, ...sqliteTriggers],
  postgres: [...tables.map(byCodePoint), ...postgresTriggers]
}
