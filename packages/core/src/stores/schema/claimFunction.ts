/*
 * The ninth migration: claims in one request to PostgreSQL instead of four. It is frozen, as the ones before are: a test
 * compares its digest. A condition that changes needs another migration with the whole function.
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
  "unverified_since",
  "state",
  "lease_owner",
  "lease_until"
]
const replaced = columns.filter((name) => name !== "key" && name !== "unverified_since")

/**
 * Takes a free key within the limits, and returns whether it did.
 *
 * - The lock serializes the claims of one payer: otherwise two could each count without the other and both take the last
 *   place. Each statement of the function sees what was committed before it, so the count is made under the lock.
 * - A claim doesn't wait for the disk, since no money has moved yet: the charge's next method waits for everything
 *   written before it. A server that fails in between loses a claim without consequences, and its owner's next method
 *   returns `false`.
 */
const claimFunction = `CREATE OR REPLACE FUNCTION till_claim(given jsonb, max_unsettled bigint, max_exposure bigint, now_millis bigint,
    expired_millis bigint)
  RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE charge till_charges := jsonb_populate_record(NULL::till_charges, given);
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(402, hashtext(charge.payer));
    INSERT INTO till_charges (${columns.join(", ")})
    SELECT ${columns.map((name) => `charge.${name}`).join(", ")}
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

/** The statements of the ninth migration. */
export const claims = { sqlite: [], postgres: [claimFunction] }
