import { Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Charge, Charges, type ChargesQuery } from "../ports/Charges.ts"
import { type ChargeRow, findCharge, toCharge } from "./chargeRows.ts"
import { claimVerb } from "./claim.ts"
import { ledgerVerbs } from "./Ledger.ts"
import { storing, tookEffect } from "./rows.ts"

type Verbs = Charges["Service"]

const transitionVerbs = (
  sql: SqlClient.SqlClient
): Pick<Verbs, "advance" | "complete" | "markApplied" | "void" | "release"> => ({
  advance: (key, owner, { answer, subject }) =>
    storing(
      "charges.advance",
      tookEffect(sql`
        UPDATE till_charges SET state = 'ready', answer = ${JSON.stringify(answer)},
          subject = ${subject === undefined ? null : JSON.stringify(subject)}
        WHERE key = ${key} AND state = 'claimed' AND lease_owner = ${owner} RETURNING key`)
    ),
  complete: (key, { receipt, refundDue }, nowMillis) =>
    storing(
      "charges.complete",
      tookEffect(sql`
        UPDATE till_charges SET state = 'settled', settlement = '', attempts = 0, check_after = 0,
          receipt = ${JSON.stringify(receipt)}, transaction_hash = ${receipt.transaction},
          settled_at = ${nowMillis}, refund_due_at = ${refundDue ? nowMillis : null},
          effect_pending = CASE WHEN subject IS NULL THEN 0 ELSE ${refundDue ? 0 : 1} END
        WHERE key = ${key} AND (state = 'ready'
          OR (state = 'voided' AND (answer IS NOT NULL OR CAST(${refundDue ? 1 : 0} AS BIGINT) = 1))) RETURNING key`)
    ),
  markApplied: (key) =>
    storing(
      "charges.markApplied",
      tookEffect(
        sql`UPDATE till_charges SET effect_pending = 0 WHERE key = ${key} AND effect_pending = 1 RETURNING key`
      )
    ),
  void: (key, owner, { checkAfterMillis, keepAnswer }) =>
    storing(
      "charges.void",
      tookEffect(sql`
        UPDATE till_charges SET state = 'voided', lease_until = 0, attempts = 0,
          check_after = ${checkAfterMillis}, answer = ${keepAnswer ? sql.literal("answer") : null}
        WHERE key = ${key} AND state IN ('claimed', 'ready') AND lease_owner = ${owner} RETURNING key`)
    ),
  release: (key, owner) =>
    storing(
      "charges.release",
      tookEffect(sql`
        DELETE FROM till_charges
        WHERE key = ${key} AND state IN ('claimed', 'voided') AND lease_owner = ${owner} RETURNING key`)
    )
})

const leaseVerbs = (
  sql: SqlClient.SqlClient
): Pick<Verbs, "takeOver" | "yieldLease" | "defer" | "unfinished"> => ({
  takeOver: (key, lease, nowMillis) =>
    storing(
      "charges.takeOver",
      tookEffect(sql`
        UPDATE till_charges SET lease_owner = ${lease.owner}, lease_until = ${lease.untilMillis}
        WHERE key = ${key} AND (state <> 'settled' OR effect_pending = 1) AND lease_until <= ${nowMillis}
        RETURNING key`)
    ),
  yieldLease: (key, owner, untilMillis) =>
    storing(
      "charges.yieldLease",
      Effect.asVoid(
        sql`UPDATE till_charges SET lease_until = ${untilMillis} WHERE key = ${key} AND lease_owner = ${owner}`
      )
    ),
  defer: (key, owner, checkAfterMillis) =>
    storing(
      "charges.defer",
      Effect.asVoid(sql`
        UPDATE till_charges
        SET lease_until = 0, attempts = attempts + 1, check_after = ${checkAfterMillis}
        WHERE key = ${key} AND lease_owner = ${owner}`)
    ),
  unfinished: (nowMillis, limit) =>
    storing(
      "charges.unfinished",
      toCharges(sql`
        SELECT * FROM till_charges WHERE (state <> 'settled' OR effect_pending = 1)
          AND lease_until <= ${nowMillis} AND check_after <= ${nowMillis}
        ORDER BY check_after, created_at, key LIMIT ${limit}`)
    )
})

const toCharges = (
  rows: Effect.Effect<ReadonlyArray<ChargeRow>, SqlError.SqlError>
): Effect.Effect<ReadonlyArray<Charge>, SqlError.SqlError> => Effect.map(rows, (found) => found.map(toCharge))

const conditions = (
  sql: SqlClient.SqlClient,
  { before, isOwed = false, settledBeforeMillis, settledFromMillis, state }: Omit<ChargesQuery, "limit">
) =>
  sql.and([
    sql`1 = 1`,
    ...(state === undefined ? [] : [sql`state = ${state}`]),
    ...(isOwed ? [sql`refund_due_at IS NOT NULL AND refunded_at IS NULL`] : []),
    // What the index of the few is made of: no engine concludes it from a state that is a parameter.
    ...(state === undefined || state === "settled" ? [] : [sql`state <> 'settled'`]),
    ...(settledFromMillis === undefined
      ? []
      : [sql`state = 'settled' AND settled_at >= ${settledFromMillis}`]),
    ...(settledBeforeMillis === undefined
      ? []
      : [sql`state = 'settled' AND settled_at < ${settledBeforeMillis}`]),
    ...(before === undefined ? [] : [sql`(created_at, key) < (${before.createdAtMillis}, ${before.key})`])
  ])

const recordVerbs = (sql: SqlClient.SqlClient): Pick<Verbs, "find" | "list" | "expire"> => ({
  find: (key) => storing("charges.find", findCharge(sql, key)),
  list: ({ limit, ...query }) =>
    storing(
      "charges.list",
      toCharges(sql`
        SELECT * FROM till_charges WHERE ${conditions(sql, query)}
        ORDER BY created_at DESC, key DESC LIMIT ${limit}`)
    ),
  expire: (beforeMillis, limit) =>
    storing(
      "charges.expire",
      Effect.map(
        // The condition is said twice: whoever waited for another's expiry looks at its own row again only.
        sql`
          UPDATE till_charges SET answer = NULL, answer_expired_at = ${beforeMillis}
          WHERE answer IS NOT NULL
            AND key IN (SELECT key FROM till_charges WHERE answer IS NOT NULL AND settled_at IS NOT NULL
              AND settled_at < ${beforeMillis} ORDER BY settled_at LIMIT ${limit})
          RETURNING key`,
        ({ length }) => length
      )
    )
})

/**
 * Charges and ledger in a database. Every verb is one conditional statement, so the database decides
 * each race; the ledger's entries are made by the triggers of the schema, in that same statement.
 */
export const layer: Layer.Layer<Charges, never, SqlClient.SqlClient> = Layer.effect(
  Charges,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Charges.of({
      claim: claimVerb(sql),
      ...transitionVerbs(sql),
      ...leaseVerbs(sql),
      ...recordVerbs(sql),
      ...ledgerVerbs(sql)
    })
  )
)
