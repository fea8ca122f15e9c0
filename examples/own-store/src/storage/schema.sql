-- All that a till keeps, in a PostgreSQL schema of its own: a shop's own tables may be called orders as well.
--
-- Columns bear the names of the fields that they hold (lease_until_millis is leaseUntilMillis), so a row is a record.
-- Times are milliseconds since the epoch. Text that is ordered by is COLLATE "C": byte by byte, the same everywhere.
-- JSON, not JSONB, holds what is given back as it came: JSONB refuses some of what JSON can say ("\u0000").

CREATE SCHEMA IF NOT EXISTS till;

CREATE TABLE IF NOT EXISTS till.charges (
  key TEXT COLLATE "C" PRIMARY KEY,
  payload_digest TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  operation TEXT COLLATE "C" NOT NULL,
  network TEXT COLLATE "C" NOT NULL,
  asset TEXT COLLATE "C" NOT NULL,
  payer TEXT NOT NULL,
  pay_to TEXT NOT NULL,
  amount_atomic NUMERIC(78) NOT NULL CHECK (amount_atomic >= 0), -- a uint256 has up to 78 digits
  valid_before_seconds BIGINT NOT NULL,
  x402_version SMALLINT NOT NULL,
  settlement TEXT NOT NULL,
  exposure_atomic NUMERIC(78) NOT NULL CHECK (exposure_atomic >= 0),
  settles_first BOOLEAN NOT NULL,
  repeat_key TEXT NOT NULL,
  payment_id TEXT COLLATE "C" NOT NULL,
  created_at_millis BIGINT NOT NULL,
  claimed_after_block TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('claimed', 'ready', 'settled', 'voided')),
  lease_owner TEXT NOT NULL,
  lease_until_millis BIGINT NOT NULL,
  attempts INTEGER NOT NULL,
  check_after_millis BIGINT NOT NULL,
  response JSON,
  response_expired_at_millis BIGINT,
  subject JSON,
  effect_pending BOOLEAN NOT NULL,
  receipt JSON,
  transfer_log_index BIGINT,
  reported_by TEXT,
  awaits_finality BOOLEAN NOT NULL,
  refused_digest TEXT NOT NULL,
  reopenings INTEGER NOT NULL,
  response_owed_until_millis BIGINT,
  settled_at_millis BIGINT,
  refund JSON,
  -- Facts that no bug may break: paid has a receipt, and only what is paid has one or can be refunded. A refund that
  -- was sent stays when its charge is reopened.
  CHECK ((state = 'settled') = (receipt IS NOT NULL)),
  CHECK ((state = 'settled') = (settled_at_millis IS NOT NULL)),
  CHECK (state = 'settled' OR ((refund IS NULL OR refund ->> '_tag' = 'Sent') AND NOT effect_pending AND NOT awaits_finality
    AND transfer_log_index IS NULL AND response_owed_until_millis IS NULL)),
  CHECK (state <> 'voided' OR (response IS NULL AND settlement = ''))
);
-- One transfer settles one charge, however many processes settle at the same time.
CREATE UNIQUE INDEX IF NOT EXISTS charges_one_transfer
  ON till.charges ((receipt ->> 'transaction'), network, transfer_log_index) WHERE receipt IS NOT NULL;
CREATE INDEX IF NOT EXISTS charges_of_payer ON till.charges (payer, created_at_millis, key);
CREATE INDEX IF NOT EXISTS charges_of_subjects
  ON till.charges (payer, (subject ->> 'kind'), created_at_millis, key) WHERE subject IS NOT NULL;
CREATE INDEX IF NOT EXISTS charges_by_age ON till.charges (created_at_millis, key);
-- In the order in which `unfinished` lists them. The conditions and expressions are those of charges.ts.
CREATE INDEX IF NOT EXISTS charges_unfinished ON till.charges
  ((state = 'claimed'), (CASE WHEN effect_pending THEN 0 ELSE check_after_millis END), created_at_millis, key)
  WHERE (state <> 'settled' OR effect_pending OR awaits_finality OR response_owed_until_millis IS NOT NULL)
    AND NOT (state = 'voided' AND subject IS NULL AND refund IS NULL);
CREATE INDEX IF NOT EXISTS charges_voided ON till.charges (check_after_millis, created_at_millis, key)
  WHERE state = 'voided' AND subject IS NULL AND refund IS NULL;
CREATE INDEX IF NOT EXISTS charges_open_of_payer ON till.charges (payer)
  WHERE state <> 'settled' AND (state <> 'voided' OR exposure_atomic > 0);
CREATE INDEX IF NOT EXISTS charges_guarding ON till.charges (payer, repeat_key)
  WHERE repeat_key <> '' AND state <> 'voided' AND refund IS NULL;
CREATE INDEX IF NOT EXISTS charges_named ON till.charges (payment_id, created_at_millis, key) WHERE payment_id <> '';
CREATE INDEX IF NOT EXISTS charges_settled_of_payer ON till.charges (payer, settled_at_millis)
  WHERE state = 'settled' AND refund IS NULL;
CREATE INDEX IF NOT EXISTS charges_to_expire ON till.charges (settled_at_millis) WHERE response IS NOT NULL;
CREATE INDEX IF NOT EXISTS charges_settled ON till.charges (settled_at_millis, key) WHERE state = 'settled';

CREATE OR REPLACE FUNCTION till.refuse_delete() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'a settled charge stays'; END $$;
CREATE OR REPLACE TRIGGER charges_settled_stay BEFORE DELETE ON till.charges
  FOR EACH ROW WHEN (OLD.state = 'settled' OR OLD.refund IS NOT NULL) EXECUTE FUNCTION till.refuse_delete();

-- The books. The primary key is the promise that nothing is booked twice: each settlement of a charge that a
-- reorganization undid has a round of its own.
CREATE TABLE IF NOT EXISTS till.ledger (
  charge_key TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('settled', 'refund_due', 'refunded', 'reversed')),
  at_millis BIGINT NOT NULL,
  operation TEXT COLLATE "C" NOT NULL,
  network TEXT COLLATE "C" NOT NULL,
  asset TEXT COLLATE "C" NOT NULL,
  payer TEXT NOT NULL,
  pay_to TEXT NOT NULL,
  amount_atomic NUMERIC(78) NOT NULL,
  transaction TEXT,
  transfer_log_index BIGINT,
  round INTEGER NOT NULL,
  PRIMARY KEY (charge_key, kind, round)
);
CREATE INDEX IF NOT EXISTS ledger_by_time ON till.ledger (at_millis, charge_key, kind, round);
CREATE INDEX IF NOT EXISTS ledger_of_payer ON till.ledger (payer, at_millis);

CREATE OR REPLACE FUNCTION till.refuse_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the ledger is only ever appended to'; END $$;
CREATE OR REPLACE TRIGGER ledger_is_append_only BEFORE UPDATE OR DELETE ON till.ledger
  FOR EACH ROW EXECUTE FUNCTION till.refuse_change();

-- Refunds that were started or sent: what limits of later refunds are held against.
CREATE TABLE IF NOT EXISTS till.refunds (
  charge_key TEXT COLLATE "C" PRIMARY KEY REFERENCES till.charges (key),
  payer TEXT NOT NULL,
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount_atomic NUMERIC(78) NOT NULL,
  started_at_millis BIGINT -- unknown of a refund that was sent without having been started
);
CREATE INDEX IF NOT EXISTS refunds_of_payer ON till.refunds (payer);

-- Attempts to send refunds: another wallet sends one only after it was recorded here, and the earlier ones have expired.
CREATE TABLE IF NOT EXISTS till.refund_attempts (
  charge_key TEXT COLLATE "C" NOT NULL REFERENCES till.charges (key),
  refund_number INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  wallet TEXT NOT NULL,
  amount_atomic NUMERIC(78) NOT NULL,
  nonce TEXT NOT NULL,
  not_before BIGINT NOT NULL,
  valid_before BIGINT NOT NULL,
  at_millis BIGINT NOT NULL,
  PRIMARY KEY (charge_key, refund_number, sequence)
);

-- At most one row: why, and since when, no refunds are sent.
CREATE TABLE IF NOT EXISTS till.refund_stop (
  id SMALLINT PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  reason TEXT NOT NULL,
  at_millis BIGINT NOT NULL
);

CREATE TABLE IF NOT EXISTS till.quotes (
  id TEXT COLLATE "C" PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  offer JSON NOT NULL,
  created_at_millis BIGINT NOT NULL,
  expires_at_millis BIGINT NOT NULL, -- of the offer, to be looked for
  consumed_by TEXT
);
-- At most one quote of a request is unconsumed: whoever races to put a second one meets this index.
CREATE UNIQUE INDEX IF NOT EXISTS quotes_one_live ON till.quotes (fingerprint) WHERE consumed_by IS NULL;
CREATE INDEX IF NOT EXISTS quotes_by_charge ON till.quotes (consumed_by) WHERE consumed_by IS NOT NULL;
CREATE INDEX IF NOT EXISTS quotes_by_expiry ON till.quotes (expires_at_millis);

CREATE TABLE IF NOT EXISTS till.orders (
  id TEXT COLLATE "C" PRIMARY KEY,
  charge_key TEXT NOT NULL,
  status TEXT NOT NULL,
  version BIGINT NOT NULL,
  product JSON NOT NULL,
  shipping_address JSON, -- forgotten some time after the order came to rest, as is the e-mail
  email TEXT,
  offer JSON NOT NULL,
  upstream_reference TEXT,
  shipments JSON NOT NULL,
  reason TEXT,
  attempts BIGINT NOT NULL,
  step_at_millis BIGINT,
  mails JSON NOT NULL,
  due_at_millis BIGINT,
  created_at_millis BIGINT NOT NULL,
  updated_at_millis BIGINT NOT NULL,
  timeline JSON NOT NULL
);
CREATE INDEX IF NOT EXISTS orders_due ON till.orders (due_at_millis, id) WHERE due_at_millis IS NOT NULL;
CREATE INDEX IF NOT EXISTS orders_by_reference ON till.orders (upstream_reference) WHERE upstream_reference IS NOT NULL;
CREATE INDEX IF NOT EXISTS orders_known ON till.orders (updated_at_millis) WHERE email IS NOT NULL;
CREATE INDEX IF NOT EXISTS orders_by_age ON till.orders (created_at_millis, id);
CREATE INDEX IF NOT EXISTS orders_of_email ON till.orders (lower(email), created_at_millis, id);
CREATE INDEX IF NOT EXISTS orders_of_item
  ON till.orders ((coalesce(product ->> 'asin', product ->> 'productUrl')), created_at_millis, id);

CREATE TABLE IF NOT EXISTS till.vault_items (
  id TEXT COLLATE "C" PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  product_type TEXT NOT NULL,
  card_description TEXT NOT NULL,
  price INTEGER NOT NULL, -- whole dollars
  category TEXT NOT NULL,
  creator JSON NOT NULL,
  downloads INTEGER NOT NULL,
  cover_image_url TEXT NOT NULL,
  keywords JSON, -- of its publisher, if it has any
  position BIGINT GENERATED ALWAYS AS IDENTITY, -- in which order items were added
  terms TEXT[] NOT NULL, -- what the words of a query are looked for in
  listed BOOLEAN NOT NULL
);
CREATE INDEX IF NOT EXISTS vault_items_by_position ON till.vault_items (position);
CREATE INDEX IF NOT EXISTS vault_items_by_cursor ON till.vault_items (lower(id));
CREATE INDEX IF NOT EXISTS vault_items_by_terms ON till.vault_items USING gin (terms);

-- The published archives of items. Rows never change.
CREATE TABLE IF NOT EXISTS till.vault_archives (
  item_id TEXT COLLATE "C" NOT NULL REFERENCES till.vault_items (id),
  version BIGINT NOT NULL,
  digest TEXT NOT NULL,
  size BIGINT NOT NULL,
  published_at_millis BIGINT NOT NULL,
  PRIMARY KEY (item_id, version)
);

CREATE TABLE IF NOT EXISTS till.vault_purchases (
  id TEXT COLLATE "C" PRIMARY KEY,
  charge_key TEXT NOT NULL,
  key_id TEXT NOT NULL, -- of the secret that the download token is made with
  slug TEXT NOT NULL,
  wallet_address TEXT NOT NULL,
  email TEXT, -- forgotten some time after the purchase was granted
  status TEXT NOT NULL CHECK (status IN ('reserved', 'granted')),
  created_at_millis BIGINT NOT NULL,
  due_at_millis BIGINT,
  attempts BIGINT NOT NULL,
  token_number BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS vault_purchases_by_age ON till.vault_purchases (created_at_millis, id)
  WHERE status = 'granted';
CREATE INDEX IF NOT EXISTS vault_purchases_of_email ON till.vault_purchases (lower(email), created_at_millis, id)
  WHERE status = 'granted';
CREATE INDEX IF NOT EXISTS vault_purchases_due ON till.vault_purchases (due_at_millis, id)
  WHERE due_at_millis IS NOT NULL;
CREATE INDEX IF NOT EXISTS vault_purchases_known ON till.vault_purchases (created_at_millis)
  WHERE email IS NOT NULL AND due_at_millis IS NULL AND status = 'granted';
-- The charges that have downloaded a purchase, where their number is limited.
CREATE TABLE IF NOT EXISTS till.vault_downloads (
  purchase_id TEXT COLLATE "C" NOT NULL,
  charge_key TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (purchase_id, charge_key)
);
-- Proofs of the buyer's wallet, for a day each: a free download, or with 0 bytes a new token.
CREATE TABLE IF NOT EXISTS till.free_downloads (
  purchase_id TEXT COLLATE "C" NOT NULL,
  nonce TEXT COLLATE "C" NOT NULL,
  bytes BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (purchase_id, nonce)
);
CREATE INDEX IF NOT EXISTS vault_purchases_by_key ON till.vault_purchases (key_id, created_at_millis);
CREATE INDEX IF NOT EXISTS vault_purchases_sold ON till.vault_purchases (slug, created_at_millis, id)
  WHERE status = 'granted';
