/*
 * The tenth migration: a charge records the newest block at its claim, instead of when it was claimed unverified. It is
 * frozen, as the ones before are: a test compares its digest.
 */

/** The columns of a new charge. */
const columns = [
  "key",
  "payload_digest",
  "fingerprint",
  "operation",
  "network",
  "asset",
  "payer",
  "pay_to",
  "amount",
  "valid_before",
  "x402_version",
  "settlement",
  "exposure",
  "settles_first",
  "created_at",
  "claimed_after",
  "state",
  "lease_owner",
  "lease_until"
]
const replaced = columns.filter((name) => name !== "key" && name !== "claimed_after")
/** A till of the version before, which still runs, names no block. */
const given = (name: string): string =>
  name === "claimed_after" ? "COALESCE(charge.claimed_after, '')" : `charge.${name}`

/** The whole function of the ninth migration, with the new column. See there for what it does. */
const claimFunction = `CREATE OR REPLACE FUNCTION till_claim(given jsonb, max_unsettled bigint, max_exposure bigint, now_millis bigint,
    expired_millis bigint)
  RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE charge till_charges := jsonb_populate_record(NULL::till_charges, given);
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(402, hashtext(charge.payer));
    INSERT INTO till_charges (${columns.join(", ")})
    SELECT ${columns.map(given).join(", ")}
    FROM (SELECT COUNT(CASE WHEN c.state <> 'voided' THEN 1 END) AS unsettled, COALESCE(SUM(c.exposure), 0) AS exposure
      FROM till_charges c
      WHERE c.payer = charge.payer AND c.key <> charge.key AND c.state <> 'settled' AND (c.state <> 'voided' OR c.exposure > 0)
        AND (c.state <> 'claimed' OR c.lease_until > now_millis)
        AND (c.state <> 'ready' OR c.valid_before * 1000 > expired_millis)) AS others
    WHERE others.unsettled < max_unsettled
      AND (charge.exposure = 0 OR others.exposure = 0 OR others.exposure + charge.exposure <= max_exposure)
    ON CONFLICT (key) DO UPDATE SET ${replaced.map((name) => `${name} = excluded.${name}`).join(", ")},
      attempts = 0, check_after = 0, response = NULL, response_expired_at = NULL, subject = NULL
    WHERE (till_charges.state = 'claimed' AND till_charges.lease_until <= now_millis)
      OR (till_charges.state = 'voided' AND till_charges.lease_owner = charge.lease_owner
        AND till_charges.refunded_at IS NULL);
    RETURN FOUND;
  END $$`

/**
 * The statements of the tenth migration. On PostgreSQL, tills of the version before may still run and read the old
 * column: it stays, and is no longer written.
 */
export const claimedAfter = {
  sqlite: [
    "ALTER TABLE till_charges ADD COLUMN claimed_after TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE till_charges DROP COLUMN unverified_since"
  ],
  postgres: [
    "ALTER TABLE till_charges ADD COLUMN IF NOT EXISTS claimed_after TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE till_charges ALTER COLUMN unverified_since SET DEFAULT 0",
    claimFunction
  ]
}
