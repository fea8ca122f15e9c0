ALTER TABLE till_charges ADD COLUMN IF NOT EXISTS claimed_after TEXT NOT NULL DEFAULT '';

ALTER TABLE till_charges ALTER COLUMN unverified_since SET DEFAULT 0;

CREATE OR REPLACE FUNCTION till_claim(given jsonb, max_unsettled bigint, max_exposure bigint, now_millis bigint,
    expired_millis bigint)
  RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE charge till_charges := jsonb_populate_record(NULL::till_charges, given);
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(402, hashtext(charge.payer));
    INSERT INTO till_charges (key, payload_digest, fingerprint, operation, network, asset, payer, pay_to, amount, valid_before, x402_version, settlement, exposure, settles_first, created_at, claimed_after, state, lease_owner, lease_until)
    SELECT charge.key, charge.payload_digest, charge.fingerprint, charge.operation, charge.network, charge.asset, charge.payer, charge.pay_to, charge.amount, charge.valid_before, charge.x402_version, charge.settlement, charge.exposure, charge.settles_first, charge.created_at, COALESCE(charge.claimed_after, ''), charge.state, charge.lease_owner, charge.lease_until
    FROM (SELECT COUNT(CASE WHEN c.state <> 'voided' THEN 1 END) AS unsettled, COALESCE(SUM(c.exposure), 0) AS exposure
      FROM till_charges c
      WHERE c.payer = charge.payer AND c.key <> charge.key AND c.state <> 'settled' AND (c.state <> 'voided' OR c.exposure > 0)
        AND (c.state <> 'claimed' OR c.lease_until > now_millis)
        AND (c.state <> 'ready' OR c.valid_before * 1000 > expired_millis)) AS others
    WHERE others.unsettled < max_unsettled
      AND (charge.exposure = 0 OR others.exposure = 0 OR others.exposure + charge.exposure <= max_exposure)
    ON CONFLICT (key) DO UPDATE SET payload_digest = excluded.payload_digest, fingerprint = excluded.fingerprint, operation = excluded.operation, network = excluded.network, asset = excluded.asset, payer = excluded.payer, pay_to = excluded.pay_to, amount = excluded.amount, valid_before = excluded.valid_before, x402_version = excluded.x402_version, settlement = excluded.settlement, exposure = excluded.exposure, settles_first = excluded.settles_first, created_at = excluded.created_at, state = excluded.state, lease_owner = excluded.lease_owner, lease_until = excluded.lease_until,
      attempts = 0, check_after = 0, response = NULL, response_expired_at = NULL, subject = NULL
    WHERE (till_charges.state = 'claimed' AND till_charges.lease_until <= now_millis)
      OR (till_charges.state = 'voided' AND till_charges.lease_owner = charge.lease_owner
        AND till_charges.refunded_at IS NULL);
    RETURN FOUND;
  END $$;
