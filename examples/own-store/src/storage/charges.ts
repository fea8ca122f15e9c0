import type { Charge, ChargeStore, Claim, Lease, NewCharge } from "@till402/core"
import { type Database, json } from "./database.ts"

/*
 * Most verbs are one conditional UPDATE: the database looks at the condition and writes in one step, so of any number
 * of racers one gets a count of 1. Only `claim` needs more than that.
 */

/** Charges by key. What moves money books it in the same statement: see ledger.ts. */
export const chargeVerbs = (sql: Database) => {
  const unfinished = sql`(state <> 'settled' OR effect_pending)`
  return {
    find: async (key) => {
      const [charge] = await sql<Array<Charge>>`SELECT * FROM till.charges WHERE key = ${key}`
      return charge
    },

    claim: (charge, lease, nowMillis, maxUnsettled) =>
      sql.begin(async (sql): Promise<Claim> => {
        // One claim of a payer at a time. In a statement of its own: the next one must see what the last claim wrote.
        await sql`SELECT pg_advisory_xact_lock(hashtext('till.claim'), hashtext(${charge.payer}))`
        const [standing] = await sql<Array<Charge>>`
          SELECT * FROM till.charges WHERE key = ${charge.key} FOR UPDATE`
        if (standing !== undefined && !isFree(standing, lease, nowMillis)) {
          return { _tag: "Existing", charge: standing }
        }
        const [others] = await sql<Array<{ readonly unsettled: number }>>`
          SELECT count(*) AS unsettled FROM till.charges
          WHERE payer = ${charge.payer} AND key <> ${charge.key}
            AND (state = 'ready' OR (state = 'claimed' AND lease_until_millis > ${nowMillis}))`
        if (others!.unsettled >= maxUnsettled) return { _tag: "Limited" }
        const claimed = asClaimed(charge, lease, standing)
        if (standing === undefined) await sql`INSERT INTO till.charges ${sql(claimed)}`
        else await sql`UPDATE till.charges SET ${sql(claimed)} WHERE key = ${charge.key}`
        return { _tag: "Claimed" }
      }),

    advance: async (key, owner, { answer, subject }) => {
      const { count } = await sql`
        UPDATE till.charges
        SET state = 'ready', answer = ${json(sql, answer)}, subject = ${json(sql, subject)}
        WHERE key = ${key} AND state = 'claimed' AND lease_owner = ${owner}`
      return count === 1
    },

    markApplied: async (key) => {
      const { count } = await sql`
        UPDATE till.charges SET effect_pending = false WHERE key = ${key} AND effect_pending`
      return count === 1
    },

    void: async (key, owner, { checkAfterMillis, keepAnswer }) => {
      const { count } = await sql`
        UPDATE till.charges
        SET state = 'voided', lease_until_millis = 0, attempts = 0, check_after_millis = ${checkAfterMillis},
          answer = CASE WHEN ${keepAnswer}::boolean THEN answer END
        WHERE key = ${key} AND state IN ('claimed', 'ready') AND lease_owner = ${owner}`
      return count === 1
    },

    release: async (key, owner) => {
      const { count } = await sql`
        DELETE FROM till.charges
        WHERE key = ${key} AND state IN ('claimed', 'voided') AND lease_owner = ${owner}`
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
      WHERE ${unfinished} AND lease_until_millis <= ${nowMillis} AND check_after_millis <= ${nowMillis}
      ORDER BY check_after_millis, created_at_millis, key LIMIT ${limit}`,

    list: ({ before, isOwed, limit, settledBeforeMillis, settledFromMillis, state }) => sql<Array<Charge>>`
      SELECT * FROM till.charges
      WHERE true
        ${state === undefined ? sql`` : sql`AND state = ${state}`}
        ${isOwed === true ? sql`AND refund ->> '_tag' = 'Due'` : sql``}
        ${settledFromMillis === undefined ? sql`` : sql`AND settled_at_millis >= ${settledFromMillis}`}
        ${settledBeforeMillis === undefined ? sql`` : sql`AND settled_at_millis < ${settledBeforeMillis}`}
        ${before === undefined ? sql`` : sql`AND (created_at_millis, key) < (${before.createdAtMillis}, ${before.key})`}
      ORDER BY created_at_millis DESC, key DESC LIMIT ${limit}`,

    expire: async (beforeMillis, limit) => {
      // Rows that another process is at work on are its to count.
      const { count } = await sql`
        UPDATE till.charges SET answer = NULL, answer_expired_at_millis = ${beforeMillis}
        WHERE key IN (
          SELECT key FROM till.charges
          WHERE answer IS NOT NULL AND settled_at_millis < ${beforeMillis}
          LIMIT ${limit} FOR UPDATE SKIP LOCKED)`
      return count
    }
  } satisfies Partial<ChargeStore>
}

/** Whether a lease may take the place of a charge: its work died, or the very same owner voided it. */
const isFree = (standing: Charge, lease: Lease, nowMillis: number): boolean =>
  standing.state === "claimed"
    ? standing.leaseUntilMillis <= nowMillis
    : standing.state === "voided" && standing.leaseOwner === lease.owner

/** The row of a fresh claim. A key that was claimed before remembers since when. */
const asClaimed = (charge: NewCharge, lease: Lease, standing: Charge | undefined) => ({
  ...charge,
  state: "claimed",
  firstClaimedAtMillis: standing?.firstClaimedAtMillis ?? charge.createdAtMillis,
  leaseOwner: lease.owner,
  leaseUntilMillis: lease.untilMillis,
  attempts: 0,
  checkAfterMillis: 0,
  answer: null,
  answerExpiredAtMillis: null,
  subject: null,
  effectPending: false,
  receipt: null,
  settledAtMillis: null,
  refund: null
})
