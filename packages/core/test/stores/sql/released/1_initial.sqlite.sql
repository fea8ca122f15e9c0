CREATE TABLE IF NOT EXISTS till_charges (
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
  );

CREATE UNIQUE INDEX IF NOT EXISTS till_charges_transfer ON till_charges (network, transaction_hash, transfer_log_index)
    WHERE transfer_log_index IS NOT NULL;

CREATE INDEX IF NOT EXISTS till_charges_unfinished
    ON till_charges ((CASE WHEN state = 'claimed' THEN 1
      WHEN state = 'voided' AND subject IS NULL AND refunded_at IS NULL THEN 2 ELSE 0 END), (CASE WHEN effect_pending = 1 THEN 0 ELSE check_after END), created_at, key) WHERE (state <> 'settled' OR effect_pending = 1 OR awaits_finality = 1
      OR response_owed_until IS NOT NULL);

CREATE INDEX IF NOT EXISTS till_charges_open ON till_charges (state, created_at, key) WHERE state <> 'settled';

CREATE INDEX IF NOT EXISTS till_charges_payer ON till_charges (payer) WHERE state <> 'settled' AND (state <> 'voided' OR exposure > 0);

CREATE INDEX IF NOT EXISTS till_charges_paid ON till_charges (payer, settled_at)
    WHERE state = 'settled' AND refund_due_at IS NULL;

CREATE INDEX IF NOT EXISTS till_charges_refunds ON till_charges (payer)
    WHERE refund_started_at IS NOT NULL OR refunded_at IS NOT NULL;

CREATE INDEX IF NOT EXISTS till_charges_responses ON till_charges (settled_at)
    WHERE response IS NOT NULL AND settled_at IS NOT NULL;

CREATE INDEX IF NOT EXISTS till_charges_owed ON till_charges (created_at, key)
    WHERE refund_due_at IS NOT NULL AND refunded_at IS NULL;

CREATE INDEX IF NOT EXISTS till_charges_settled ON till_charges (settled_at) WHERE state = 'settled';

CREATE INDEX IF NOT EXISTS till_charges_created ON till_charges (created_at, key);

CREATE TABLE IF NOT EXISTS till_ledger (
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
  );

CREATE INDEX IF NOT EXISTS till_ledger_at ON till_ledger (at, charge_key, kind, round);

CREATE INDEX IF NOT EXISTS till_ledger_payer ON till_ledger (payer, at);

CREATE TABLE IF NOT EXISTS till_refund_stop (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    reason TEXT NOT NULL,
    at BIGINT NOT NULL
  );

CREATE TABLE IF NOT EXISTS till_quotes (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    offer TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    consumed_by TEXT
  );

CREATE UNIQUE INDEX IF NOT EXISTS till_quotes_live ON till_quotes (fingerprint) WHERE consumed_by IS NULL;

CREATE INDEX IF NOT EXISTS till_quotes_consumed ON till_quotes (consumed_by) WHERE consumed_by IS NOT NULL;

CREATE INDEX IF NOT EXISTS till_quotes_expires ON till_quotes (expires_at);

CREATE TABLE IF NOT EXISTS till_orders (
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
  );

CREATE INDEX IF NOT EXISTS till_orders_due ON till_orders (due_at, id) WHERE due_at IS NOT NULL;

CREATE INDEX IF NOT EXISTS till_orders_reference ON till_orders (upstream_reference)
    WHERE upstream_reference IS NOT NULL;

CREATE INDEX IF NOT EXISTS till_orders_known ON till_orders (updated_at) WHERE personal IS NOT NULL;

CREATE INDEX IF NOT EXISTS till_orders_status ON till_orders (status, created_at, id);

CREATE INDEX IF NOT EXISTS till_orders_created ON till_orders (created_at, id);

CREATE TABLE IF NOT EXISTS till_vault_items (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    position BIGINT NOT NULL,
    product_type TEXT NOT NULL,
    category TEXT NOT NULL,
    price BIGINT NOT NULL,
    downloads BIGINT NOT NULL,
    search TEXT NOT NULL,
    document TEXT NOT NULL
  );

CREATE INDEX IF NOT EXISTS till_vault_items_position ON till_vault_items (position, id);

CREATE TABLE IF NOT EXISTS till_vault_purchases (
    id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    due_at BIGINT,
    attempts BIGINT NOT NULL,
    email TEXT,
    document TEXT NOT NULL
  );

CREATE INDEX IF NOT EXISTS till_vault_purchases_due ON till_vault_purchases (due_at, id) WHERE due_at IS NOT NULL;

CREATE INDEX IF NOT EXISTS till_vault_purchases_known ON till_vault_purchases (created_at)
    WHERE email IS NOT NULL AND due_at IS NULL AND status = 'granted';

CREATE TRIGGER IF NOT EXISTS till_charges_settled AFTER UPDATE OF settled_at ON till_charges
    WHEN OLD.settled_at IS NULL AND NEW.settled_at IS NOT NULL
    BEGIN INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount,
      transaction_hash, transfer_log_index)
    VALUES (NEW.key, 'settled', (SELECT COUNT(*) FROM till_ledger WHERE charge_key = NEW.key AND kind = 'reversed'), NEW.settled_at, date(NEW.settled_at / 1000, 'unixepoch'), NEW.operation, NEW.network, NEW.asset, NEW.payer, NEW.pay_to,
      NEW.amount, NEW.transaction_hash, NEW.transfer_log_index); END;

CREATE TRIGGER IF NOT EXISTS till_charges_refund_due AFTER UPDATE OF refund_due_at ON till_charges
    WHEN OLD.refund_due_at IS NULL AND NEW.refund_due_at IS NOT NULL
    BEGIN INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount,
      transaction_hash, transfer_log_index)
    VALUES (NEW.key, 'refund_due', (SELECT COUNT(*) FROM till_ledger WHERE charge_key = NEW.key AND kind = 'reversed'), NEW.refund_due_at, date(NEW.refund_due_at / 1000, 'unixepoch'), NEW.operation, NEW.network, NEW.asset, NEW.payer, NEW.pay_to,
      NEW.amount, NULL, NULL); END;

CREATE TRIGGER IF NOT EXISTS till_charges_refunded AFTER UPDATE OF refunded_at ON till_charges
    WHEN OLD.refunded_at IS NULL AND NEW.refunded_at IS NOT NULL
    BEGIN INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount,
      transaction_hash, transfer_log_index)
    VALUES (NEW.key, 'refunded', (SELECT COUNT(*) FROM till_ledger WHERE charge_key = NEW.key AND kind = 'reversed'), NEW.refunded_at, date(NEW.refunded_at / 1000, 'unixepoch'), NEW.operation, NEW.network, NEW.asset, NEW.payer, NEW.pay_to,
      NEW.amount, NEW.refund_transaction, NULL); END;

CREATE TRIGGER IF NOT EXISTS till_charges_reversed AFTER UPDATE OF reopenings ON till_charges
    WHEN NEW.reopenings > OLD.reopenings
    BEGIN INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount,
      transaction_hash, transfer_log_index)
    VALUES (NEW.key, 'reversed', (SELECT COUNT(*) FROM till_ledger WHERE charge_key = NEW.key AND kind = 'reversed'), NEW.reversed_at, date(NEW.reversed_at / 1000, 'unixepoch'), NEW.operation, NEW.network, NEW.asset, NEW.payer, NEW.pay_to,
      NEW.amount, OLD.transaction_hash, OLD.transfer_log_index); END;

CREATE TRIGGER IF NOT EXISTS till_ledger_no_update BEFORE UPDATE ON till_ledger
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TRIGGER IF NOT EXISTS till_ledger_no_delete BEFORE DELETE ON till_ledger
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
