import type {
  Charge,
  ChargeStore,
  Claim,
  Lease,
  NewCharge,
  PayerActivity,
  RepeatRule,
  SettledCharge
} from "@till402/core"
import { type Database, json, type Transaction } from "./database.ts"
import { lockPayer } from "./payers.ts"

/*
 * Most functions are one conditional UPDATE: the database checks the condition and writes in one step, so of any number
 * of racers exactly one changes a row. Only `claim` needs more.
 */

/** Maximum number of settled charges that `payerActivity` sums. */
const maxSettled = 200

/** How long a ready charge counts for its payer after its payment has expired: then it can't move any more. */
const expiredMarginMillis = 15 * 60_000

/** Charges by key. A statement that moves money also writes its ledger entry: see ledger.ts and refunds.ts. */
export const chargeVerbs = (sql: Database) => {
  // Fragments that the indexes of schema.sql repeat.
  const unfinished = sql`
    (state <> 'settled' OR effect_pending OR awaits_finality OR response_owed_until_millis IS NOT NULL)`
  const bulk = sql`state = 'voided' AND subject IS NULL AND refund IS NULL`
  const dueMillis = sql`(CASE WHEN effect_pending THEN 0 ELSE check_after_millis END)`
  const countsForPayer = sql`state <> 'settled' AND (state <> 'voided' OR exposure_atomic > 0)`
  const mayStillMove = (nowMillis: number) =>
    sql`valid_before_seconds * 1000 > ${nowMillis - expiredMarginMillis}`
  return {
    find: async (key) => {
      const [charge] = await sql<Array<Charge>>`SELECT * FROM till.charges WHERE key = ${key}`
      return charge
    },

    findRepeated: async (charge, rule) => findRepeated(sql, charge, rule),

    claim: (charge, lease, nowMillis, { maxExposureAtomic, maxUnsettled, repeats }) =>
      sql.begin(async (sql): Promise<Claim> => {
        // Serializes the claims of one payer.
        await lockPayer(sql, charge.payer)
        const [existing] = await sql<Array<Charge>>`
          SELECT * FROM till.charges WHERE key = ${charge.key} FOR UPDATE`
        if (existing !== undefined && !isFree(existing, lease, nowMillis)) {
          return { _tag: "Existing", charge: existing }
        }
        const first = repeats === undefined ? undefined : await findRepeated(sql, charge, repeats)
        if (first !== undefined) return { _tag: "Repeated", first }
        const [others] = await sql<Array<{ readonly unsettled: number; readonly exposure: string }>>`
          SELECT count(*) FILTER (WHERE state <> 'voided') AS unsettled, coalesce(sum(exposure_atomic), 0) AS exposure
          FROM till.charges
          WHERE payer = ${charge.payer} AND key <> ${charge.key} AND ${countsForPayer}
            AND (state <> 'claimed' OR lease_until_millis > ${nowMillis})
            AND (state <> 'ready' OR ${mayStillMove(nowMillis)})`
        if (others!.unsettled >= maxUnsettled) return { _tag: "Limited", by: "charges" }
        const [added, exposure] = [BigInt(charge.exposureAtomic), BigInt(others!.exposure)]
        if (added > 0n && exposure > 0n && exposure + added > BigInt(maxExposureAtomic)) {
          return { _tag: "Limited", by: "exposure" }
        }
        const claimed = asClaimed(charge, lease, existing)
        if (existing === undefined) await sql`INSERT INTO till.charges ${sql(claimed)}`
        else await sql`UPDATE till.charges SET ${sql(claimed)} WHERE key = ${charge.key}`
        return { _tag: "Claimed" }
      }),

    payerActivity: async ({ asset, createdAtMillis, key, network, payer }, sinceMillis, nowMillis) => {
      const [existing] = await sql<Array<PayerActivity>>`
        SELECT
          (SELECT coalesce(sum(amount_atomic), 0) FROM till.charges
            WHERE payer = ${payer} AND network = ${network} AND asset = ${asset} AND ${countsForPayer}
              AND ((state = 'ready' AND ${mayStillMove(nowMillis)})
                OR (state = 'claimed' AND lease_until_millis > ${nowMillis}))
              AND (created_at_millis, key) <= (${createdAtMillis}, ${key})) AS open_atomic,
          (SELECT coalesce(sum(amount_atomic), 0) FROM (
            SELECT amount_atomic FROM till.charges
            WHERE payer = ${payer} AND network = ${network} AND asset = ${asset}
              AND state = 'settled' AND refund IS NULL AND settled_at_millis >= ${sinceMillis}
            ORDER BY settled_at_millis DESC LIMIT ${maxSettled}) AS latest) AS settled_atomic`
      return existing!
    },

    advance: async (key, owner, { response, subject }) => {
      const { count } = await sql`
        UPDATE till.charges
        SET state = 'ready', response = ${json(sql, response)}, subject = ${json(sql, subject)}
        WHERE key = ${key} AND state = 'claimed' AND lease_owner = ${owner}`
      return count === 1
    },

    deliver: async (key, owner, response) => {
      const { count } = await sql`
        UPDATE till.charges SET response = ${json(sql, response)}, response_owed_until_millis = NULL
        WHERE key = ${key} AND lease_owner = ${owner} AND response_owed_until_millis IS NOT NULL AND refund IS NULL`
      return count === 1
    },

    finalize: async (key, owner) => {
      const { count } = await sql`
        UPDATE till.charges SET awaits_finality = false, settlement = ''
        WHERE key = ${key} AND lease_owner = ${owner} AND awaits_finality`
      return count === 1
    },

    markApplied: async (key) => {
      const { count } = await sql`
        UPDATE till.charges SET effect_pending = false WHERE key = ${key} AND effect_pending`
      return count === 1
    },

    void: async (key, owner, { checkAfterMillis, isRefused = false, keepExposure }) => {
      const { count } = await sql`
        UPDATE till.charges
        SET state = 'voided', lease_until_millis = 0, attempts = 0, check_after_millis = ${checkAfterMillis},
          settlement = '', response = NULL,
          exposure_atomic = CASE WHEN ${keepExposure}::boolean THEN exposure_atomic ELSE 0 END,
          refused_digest = CASE WHEN ${isRefused}::boolean THEN payload_digest ELSE refused_digest END
        WHERE key = ${key} AND state IN ('claimed', 'ready') AND lease_owner = ${owner}`
      return count === 1
    },

    release: async (key, owner) => {
      const { count } = await sql`
        DELETE FROM till.charges
        WHERE key = ${key} AND state IN ('claimed', 'voided') AND lease_owner = ${owner} AND refund IS NULL`
      return count === 1
    },

    takeOver: async (key, lease, nowMillis) => {
      const { count } = await sql`
        UPDATE till.charges SET lease_owner = ${lease.owner}, lease_until_millis = ${lease.untilMillis}
        WHERE key = ${key} AND ${unfinished} AND lease_until_millis <= ${nowMillis}`
      return count === 1
    },

    yieldLease: async (key, owner, untilMillis) => {
      await sql`
        UPDATE till.charges SET lease_until_millis = ${untilMillis} WHERE key = ${key} AND lease_owner = ${owner}`
    },

    defer: async (key, owner, checkAfterMillis) => {
      await sql`
        UPDATE till.charges
        SET lease_until_millis = 0, attempts = attempts + 1, check_after_millis = ${checkAfterMillis}
        WHERE key = ${key} AND lease_owner = ${owner}`
    },

    unfinished: (nowMillis, limit) => sql<Array<Charge>>`
      SELECT * FROM till.charges
      WHERE ${unfinished} AND NOT (${bulk}) AND lease_until_millis <= ${nowMillis} AND ${dueMillis} <= ${nowMillis}
      ORDER BY (state = 'claimed'), ${dueMillis}, created_at_millis, key LIMIT ${limit}`,

    voidedDue: (nowMillis, limit) => sql<Array<Charge>>`
      SELECT * FROM till.charges
      WHERE ${bulk} AND lease_until_millis <= ${nowMillis} AND check_after_millis <= ${nowMillis}
      ORDER BY check_after_millis, created_at_millis, key LIMIT ${limit}`,

    releaseVoided: async (keys, nowMillis) => {
      // Skips rows that another process is working on: it counts and releases them.
      const { count } = await sql`
        DELETE FROM till.charges WHERE key IN (
          SELECT key FROM till.charges
          WHERE key = ANY(${[...keys]}) AND ${bulk} AND lease_until_millis <= ${nowMillis}
          FOR UPDATE SKIP LOCKED)`
      return count
    },

    list: ({ before, isRefundDue, limit, payer, paymentId, state, subjectKind, transaction }) => sql<
      Array<Charge>
    >`
      SELECT * FROM till.charges
      WHERE true
        ${state === undefined ? sql`` : sql`AND state = ${state}`}
        ${isRefundDue === true ? sql`AND refund ->> '_tag' = 'Due'` : sql``}
        ${paymentId === undefined ? sql`` : sql`AND payment_id = ${paymentId} AND payment_id <> ''`}
        ${payer === undefined ? sql`` : sql`AND payer = ${payer}`}
        ${subjectKind === undefined ? sql`` : sql`AND subject IS NOT NULL AND subject ->> 'kind' = ${subjectKind}`}
        ${transaction === undefined ? sql`` : sql`AND receipt ->> 'transaction' = ${transaction}`}
        ${before === undefined ? sql`` : sql`AND (created_at_millis, key) < (${before.createdAtMillis}, ${before.key})`}
      ORDER BY created_at_millis DESC, key DESC LIMIT ${limit}`,

    // Without the response, which may be large.
    listSettled: ({ after, beforeMillis, chargeKeys, fromMillis, limit }) => sql<Array<SettledCharge>>`
      SELECT key, network, asset, payer, pay_to, amount_atomic, valid_before_seconds, reopenings, receipt,
        transfer_log_index, reported_by, response_owed_until_millis, settled_at_millis, refund,
        response IS NOT NULL OR response_expired_at_millis IS NOT NULL AS has_response
      FROM till.charges
      WHERE state = 'settled'
        ${fromMillis === undefined ? sql`` : sql`AND settled_at_millis >= ${fromMillis}`}
        ${beforeMillis === undefined ? sql`` : sql`AND settled_at_millis < ${beforeMillis}`}
        ${chargeKeys === undefined ? sql`` : sql`AND key = ANY(${[...chargeKeys]})`}
        ${after === undefined ? sql`` : sql`AND (settled_at_millis, key) > (${after.settledAtMillis}, ${after.key})`}
      ORDER BY settled_at_millis, key LIMIT ${limit}`,

    expire: async (beforeMillis, limit) => {
      // Skips rows that another process is working on: it counts them.
      const { count } = await sql`
        WITH old AS MATERIALIZED (
          SELECT key FROM till.charges
          WHERE response IS NOT NULL AND settled_at_millis < ${beforeMillis}
          LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        UPDATE till.charges SET response = NULL, response_expired_at_millis = ${beforeMillis}
        WHERE key IN (SELECT key FROM old)`
      return count
    },

    countUnderKey: async (keyId, operations, sinceMillis, nowMillis) => {
      const [row] = await sql<Array<{ readonly charges: number }>>`
        SELECT count(*)::int AS charges FROM till.charges
        WHERE starts_with(fingerprint, ${`${keyId}:`})
          ${operations === undefined ? sql`` : sql`AND operation = ANY(${[...operations]})`}
          AND (state = 'ready' OR response_owed_until_millis > ${nowMillis}
            OR (response IS NOT NULL AND settled_at_millis >= ${sinceMillis}))`
      return row!.charges
    }
  } satisfies Partial<ChargeStore>
}

/** The charge that a new one of this key and payer would repeat: the newest that is named so, else the newest. */
const findRepeated = async (
  sql: Database | Transaction,
  { key, payer }: Pick<NewCharge, "key" | "payer">,
  { named, repeatKeys, sinceMillis }: RepeatRule
): Promise<Charge | undefined> => {
  const canBeRepeated = sql`payer = ${payer} AND key <> ${key} AND state <> 'voided' AND refund IS NULL`
  const [first] =
    named === undefined
      ? []
      : await sql<Array<Charge>>`
          SELECT * FROM till.charges
          WHERE payment_id = ${named.paymentId} AND payment_id <> '' AND operation = ${named.operation} AND ${canBeRepeated}
          ORDER BY created_at_millis DESC, key DESC LIMIT 1`
  if (first !== undefined) return first
  const [same] = await sql<Array<Charge>>`
    SELECT * FROM till.charges
    WHERE repeat_key = ANY(${[...repeatKeys]}) AND repeat_key <> '' AND created_at_millis >= ${sinceMillis} AND ${canBeRepeated}
    ORDER BY created_at_millis DESC, key DESC LIMIT 1`
  return same
}

/** Whether a new lease may replace a charge: its claim has expired, or the same owner voided it. */
const isFree = (standing: Charge, lease: Lease, nowMillis: number): boolean =>
  standing.state === "claimed"
    ? standing.leaseUntilMillis <= nowMillis
    : standing.state === "voided" && standing.leaseOwner === lease.owner && standing.refund === undefined

/** The row of a new claim. A key that was claimed before keeps the block of its first claim. */
const asClaimed = (charge: NewCharge, lease: Lease, existing: Charge | undefined) => ({
  ...charge,
  claimedAfterBlock: existing?.claimedAfterBlock ?? charge.claimedAfterBlock,
  state: "claimed",
  leaseOwner: lease.owner,
  leaseUntilMillis: lease.untilMillis,
  attempts: 0,
  checkAfterMillis: 0,
  response: null,
  responseExpiredAtMillis: null,
  subject: null,
  effectPending: false,
  receipt: null,
  transferLogIndex: null,
  reportedBy: null,
  awaitsFinality: false,
  refusedDigest: existing?.refusedDigest ?? "",
  reopenings: existing?.reopenings ?? 0,
  responseOwedUntilMillis: null,
  settledAtMillis: null,
  refund: null
})
