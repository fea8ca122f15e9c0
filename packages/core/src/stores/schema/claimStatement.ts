import { countsForPayer, guardsItsName, guardsRepeats, mayStillMove } from "./chargeConditions.ts"

/*
 * The statement of a claim, which SQLite runs as it is, and PostgreSQL within `till_claim`.
 */

/** The columns that a claim writes; the others start empty. */
export const newChargeColumns = [
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
  "repeat_key",
  "payment_id",
  "created_at",
  "claimed_after",
  "state",
  "lease_owner",
  "lease_until"
] as const

export type NewChargeColumn = (typeof newChargeColumns)[number]

/** Expressions of a new charge's payer and key, and of the time. */
export interface Claimant {
  readonly payer: string
  readonly key: string
  readonly now: string
}

/**
 * Counts a payer's other charges that count against their limits, and sums their exposure. A voided charge that kept its
 * exposure (work was done for it) adds to the sum, not to the count.
 */
export const othersOfPayer = ({ key, now, payer }: Claimant): string => `
  (SELECT COUNT(CASE WHEN state <> 'voided' THEN 1 END) AS unsettled, COALESCE(SUM(exposure), 0) AS exposure
    FROM till_charges
    WHERE payer = ${payer} AND key <> ${key} AND ${countsForPayer}
      AND (state <> 'claimed' OR lease_until > ${now})
      AND (state <> 'ready' OR ${mayStillMove(now)})) AS others`

/** Which charges of a payer a new one repeats: expressions of a list of repeat keys, of a time, and of a name. */
export interface RepeatedBy {
  readonly payer: string
  readonly key: string
  readonly repeatKeys: string
  readonly since: string
  readonly operation: string
  readonly paymentId: string
}

/** The charges that a new one repeats by what it buys; see `RepeatRule`. `+` keeps SQLite from another index. */
export const sameOrder = (by: Pick<RepeatedBy, "key" | "payer" | "repeatKeys" | "since">): string => `
  till_charges WHERE ${guardsRepeats} AND payer = ${by.payer} AND key <> ${by.key}
    AND repeat_key IN (${by.repeatKeys}) AND +created_at >= ${by.since}`

/** Those that it repeats by its client's id, which is empty for none. */
export const sameName = (by: Pick<RepeatedBy, "key" | "operation" | "payer" | "paymentId">): string => `
  till_charges WHERE ${guardsItsName} AND payment_id = ${by.paymentId} AND payer = ${by.payer} AND key <> ${by.key}
    AND operation = ${by.operation}`

/** Whether a new charge repeats another one. */
const repeatsAnother = (by: RepeatedBy): string =>
  `(EXISTS (SELECT 1 FROM ${sameOrder(by)}) OR EXISTS (SELECT 1 FROM ${sameName(by)}))`

/** A charge that a claim replaces; see `ClaimMethods.claim`. */
export const isFree = (now: string, owner: string): string => `
  ((till_charges.state = 'claimed' AND till_charges.lease_until <= ${now})
    OR (till_charges.state = 'voided' AND till_charges.lease_owner = ${owner}
      AND till_charges.refunded_at IS NULL))`

export const isBelowCount = (max: string): string => `others.unsettled < ${max}`

export const isWithinExposure = (added: string, max: string): string =>
  `(${added} = 0 OR others.exposure = 0 OR others.exposure + ${added} <= CAST(${max} AS BIGINT))`

const replaced = newChargeColumns.filter((name) => name !== "key" && name !== "claimed_after")

/** Takes a free key within the limits. */
export const claimStatement = (
  given: (column: NewChargeColumn) => string,
  { maxExposure, maxUnsettled, now }: Readonly<Record<"now" | "maxUnsettled" | "maxExposure", string>>,
  repeats?: Omit<RepeatedBy, "key" | "payer">
): string => {
  const exposure = `CAST(${given("exposure")} AS BIGINT)`
  return `INSERT INTO till_charges (${newChargeColumns.join(", ")})
    SELECT ${newChargeColumns.map(given).join(", ")}
    FROM ${othersOfPayer({ payer: given("payer"), key: given("key"), now })}
    WHERE ${isBelowCount(maxUnsettled)} AND ${isWithinExposure(exposure, maxExposure)}
      ${repeats === undefined ? "" : `AND NOT ${repeatsAnother({ payer: given("payer"), key: given("key"), ...repeats })}`}
    ON CONFLICT (key) DO UPDATE SET ${replaced.map((name) => `${name} = excluded.${name}`).join(", ")},
      attempts = 0, check_after = 0, response = NULL, response_expired_at = NULL, subject = NULL
    WHERE ${isFree(now, given("lease_owner"))}`
}

/**
 * Takes a free key within the limits, and returns whether it did: a claim is one request to PostgreSQL.
 *
 * - The lock serializes the claims of one payer: otherwise two could each count without the other and both take the last
 *   place, or both buy what the payer wants once. Each statement of the function sees what was committed before it, so the count is made under the lock.
 * - A claim doesn't wait for the disk, since no money has moved yet: the charge's next method waits for everything
 *   written before it. A server that fails in between loses a claim without consequences, and its owner's next method
 *   returns `false`.
 */
export const claimFunction = `CREATE OR REPLACE FUNCTION till_claim(given jsonb, max_unsettled bigint, max_exposure bigint,
    now_millis bigint, repeats jsonb)
  RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE charge till_charges := jsonb_populate_record(NULL::till_charges, given);
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(402, hashtext(charge.payer));
    IF repeats IS NOT NULL AND ${repeatsAnother({
      payer: "charge.payer",
      key: "charge.key",
      repeatKeys: "SELECT jsonb_array_elements_text(repeats->'repeatKeys')",
      since: "CAST(repeats->>'sinceMillis' AS bigint)",
      operation: "repeats->'named'->>'operation'",
      paymentId: "repeats->'named'->>'paymentId'"
    })} THEN RETURN false; END IF;
    ${claimStatement((name) => `charge.${name}`, {
      now: "now_millis",
      maxUnsettled: "max_unsettled",
      maxExposure: "max_exposure"
    })};
    RETURN FOUND;
  END $$`
