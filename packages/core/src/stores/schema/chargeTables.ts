import {
  countsForPayer,
  guardsRepeats,
  subjectKinds,
  transferIndex,
  unfinished,
  unfinishedDue,
  unfinishedQueue
} from "./chargeConditions.ts"

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
    repeat_key TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    claimed_after TEXT NOT NULL,
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
    reported_by TEXT,
    awaits_finality BIGINT NOT NULL DEFAULT 0,
    refused_digest TEXT NOT NULL DEFAULT '',
    reopenings BIGINT NOT NULL DEFAULT 0,
    response_owed_until BIGINT,
    settled_at BIGINT,
    refund_due_at BIGINT,
    refund_started_at BIGINT,
    refunded_at BIGINT,
    refund_transaction TEXT,
    reversed_at BIGINT
  )`,
  // One transfer settles one charge. Without a proof there is no log index, and nothing to compare.
  `CREATE UNIQUE INDEX IF NOT EXISTS ${transferIndex} ON till_charges (transaction_hash, network, transfer_log_index)
    WHERE transaction_hash IS NOT NULL`,
  // Lists. Others than settled charges are few, and found among the unfinished: until it settles, each of a charge's
  // states would be an entry of its own on PostgreSQL.
  `CREATE INDEX IF NOT EXISTS till_charges_created ON till_charges (created_at, key) WHERE state = 'settled'`,
  `CREATE INDEX IF NOT EXISTS till_charges_of_payer ON till_charges (payer, created_at, key) WHERE state = 'settled'`,
  `CREATE INDEX IF NOT EXISTS till_charges_unfinished
    ON till_charges ((${unfinishedQueue}), (${unfinishedDue}), created_at, key) WHERE ${unfinished}`,
  `CREATE INDEX IF NOT EXISTS till_charges_payer ON till_charges (payer) WHERE ${countsForPayer}`,
  `CREATE INDEX IF NOT EXISTS till_charges_guarding ON till_charges (payer, repeat_key)
    WHERE ${guardsRepeats}`,
  `CREATE INDEX IF NOT EXISTS till_charges_named ON till_charges (payment_id, created_at, key) WHERE payment_id <> ''`,
  `CREATE INDEX IF NOT EXISTS till_charges_paid ON till_charges (payer, settled_at)
    WHERE state = 'settled' AND refund_due_at IS NULL`,
  `CREATE INDEX IF NOT EXISTS till_charges_refunds ON till_charges (payer)
    WHERE refund_started_at IS NOT NULL OR refunded_at IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_charges_responses ON till_charges (settled_at)
    WHERE response IS NOT NULL AND settled_at IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS till_charges_owed ON till_charges (created_at, key)
    WHERE refund_due_at IS NOT NULL AND refunded_at IS NULL`,
  `CREATE INDEX IF NOT EXISTS till_charges_settlements ON till_charges (settled_at, key) WHERE state = 'settled'`,
  // At most one row: why and since when refunds are stopped.
  `CREATE TABLE IF NOT EXISTS till_refund_stop (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    reason TEXT NOT NULL,
    at BIGINT NOT NULL
  )`
]

/** Attempts to send a refund, so that two wallets of one store don't both pay it. */
const refundAttempts = `CREATE TABLE IF NOT EXISTS till_refund_attempts (
    charge_key TEXT NOT NULL,
    refund_number BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    wallet TEXT NOT NULL,
    amount TEXT NOT NULL,
    nonce TEXT NOT NULL,
    not_before BIGINT NOT NULL,
    valid_before BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (charge_key, refund_number, sequence)
  )`

/** What a database was used with, such as digests of the host's keys. */
const marks = `CREATE TABLE IF NOT EXISTS till_marks (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  )`

const keyed = [refundAttempts, marks]

/** Lists a payer's charges that bought an order or a purchase: few among those of calls. */
const subjects = (kind: string) =>
  `CREATE INDEX IF NOT EXISTS till_charges_subjects ON till_charges (payer, ${kind}, created_at, key)
    WHERE subject IS NOT NULL`

/** Charges, their refunds, and marks. */
export const chargeTables = {
  sqlite: [...tables, subjects(subjectKinds.sqlite), ...keyed.map((table) => `${table} WITHOUT ROWID`)],
  postgres: [...tables, subjects(subjectKinds.postgres), ...keyed]
}
