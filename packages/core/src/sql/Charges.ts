import { Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Charge, Charges, type ChargesQuery, type Completion } from "../ports/Charges.ts"
import { transferIndex, unfinished, unfinishedDue, unfinishedQueue } from "./chargeConditions.ts"
import { chargeColumns, type ChargeRow, findCharge, toCharge } from "./chargeRows.ts"
import { claimVerb } from "./claim.ts"
import { ledgerVerbs } from "./Ledger.ts"
import { payerStandingVerb } from "./payerStanding.ts"
import { refundVerbs } from "./Refunds.ts"
import { storing, tookEffect } from "./rows.ts"

type Verbs = Charges["Service"]

const asJson = (value: object | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value)

/** Whether a statement failed because its transfer has settled another charge. */
const isTransferTaken = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "UniqueViolation" &&
  // PostgreSQL names the index, SQLite its columns.
  (reason.constraint === transferIndex || reason.constraint.includes("till_charges.transfer_log_index"))

/** When a settled charge is looked at again: the earlier of two times, where there are any. */
const earlier = (one: number | undefined, other: number | undefined): number =>
  Math.min(one ?? other ?? 0, other ?? one ?? 0)

const completeVerb =
  (sql: SqlClient.SqlClient): Verbs["complete"] =>
  (key, settlement, nowMillis) => {
    const { finalAfterMillis, receipt, refundDue, responseOwedUntilMillis } = settlement
    const awaitsFinality = finalAfterMillis !== undefined
    // Where a refund was sent before the charge was reopened, it stays, and nothing else is owed.
    const completed = tookEffect(sql`
      UPDATE till_charges SET state = 'settled', attempts = 0,
        settlement = ${awaitsFinality ? sql.literal("settlement") : ""}, awaits_finality = ${awaitsFinality ? 1 : 0},
        check_after = CASE WHEN refunded_at IS NULL
          THEN CAST(${earlier(finalAfterMillis, responseOwedUntilMillis)} AS BIGINT)
          ELSE CAST(${finalAfterMillis ?? 0} AS BIGINT) END,
        response_owed_until = CASE WHEN refunded_at IS NULL
          THEN CAST(${responseOwedUntilMillis ?? null} AS BIGINT) ELSE NULL END,
        receipt = ${JSON.stringify(receipt)}, transaction_hash = ${receipt.transaction},
        transfer_log_index = ${settlement.transferLogIndex ?? null},
        settled_at = ${nowMillis},
        refund_due_at = CASE WHEN refunded_at IS NULL
          THEN CAST(${refundDue ? nowMillis : null} AS BIGINT) ELSE refund_due_at END,
        effect_pending = CASE WHEN subject IS NULL OR refunded_at IS NOT NULL THEN 0 ELSE ${refundDue ? 0 : 1} END
      WHERE key = ${key} AND (state = 'ready'
        OR (state = 'voided' AND (settles_first = 1 OR CAST(${refundDue ? 1 : 0} AS BIGINT) = 1))) RETURNING key`)
    return storing(
      "charges.complete",
      completed.pipe(
        Effect.map((took): Completion => ({ _tag: took ? "Completed" : "NotOpen" })),
        Effect.catchIf(isTransferTaken, () => Effect.succeed<Completion>({ _tag: "TransferTaken" }))
      )
    )
  }

const transitionVerbs = (
  sql: SqlClient.SqlClient
): Pick<Verbs, "advance" | "complete" | "markApplied" | "void" | "release"> => ({
  advance: (key, owner, { answer, subject }) =>
    storing(
      "charges.advance",
      tookEffect(sql`
        UPDATE till_charges SET state = 'ready', answer = ${asJson(answer)}, subject = ${asJson(subject)}
        WHERE key = ${key} AND state = 'claimed' AND lease_owner = ${owner} RETURNING key`)
    ),
  complete: completeVerb(sql),
  markApplied: (key) =>
    storing(
      "charges.markApplied",
      tookEffect(
        sql`UPDATE till_charges SET effect_pending = 0 WHERE key = ${key} AND effect_pending = 1 RETURNING key`
      )
    ),
  void: (key, owner, { checkAfterMillis, keepExposure }) =>
    storing(
      "charges.void",
      tookEffect(sql`
        UPDATE till_charges SET state = 'voided', lease_until = 0, attempts = 0, settlement = '', answer = NULL,
          check_after = ${checkAfterMillis}, exposure = ${keepExposure ? sql.literal("exposure") : 0}
        WHERE key = ${key} AND state IN ('claimed', 'ready') AND lease_owner = ${owner} RETURNING key`)
    ),
  release: (key, owner) =>
    storing(
      "charges.release",
      tookEffect(sql`
        DELETE FROM till_charges
        WHERE key = ${key} AND state IN ('claimed', 'voided') AND lease_owner = ${owner}
          AND refunded_at IS NULL RETURNING key`)
    )
})

/** What happens to a settled charge while its response is owed or its proof isn't final. */
const settledVerbs = (sql: SqlClient.SqlClient): Pick<Verbs, "deliver" | "finalize" | "reopen"> => ({
  deliver: (key, owner, answer) =>
    storing(
      "charges.deliver",
      tookEffect(sql`
        UPDATE till_charges SET answer = ${JSON.stringify(answer)}, response_owed_until = NULL
        WHERE key = ${key} AND lease_owner = ${owner} AND state = 'settled' AND response_owed_until IS NOT NULL
          AND refund_due_at IS NULL RETURNING key`)
    ),
  finalize: (key, owner) =>
    storing(
      "charges.finalize",
      tookEffect(sql`
        UPDATE till_charges SET awaits_finality = 0, settlement = ''
        WHERE key = ${key} AND lease_owner = ${owner} AND awaits_finality = 1 RETURNING key`)
    ),
  reopen: (key, owner, nowMillis) =>
    storing(
      "charges.reopen",
      tookEffect(sql`
        UPDATE till_charges SET
          state = CASE WHEN settles_first = 1 OR answer IS NOT NULL OR answer_expired_at IS NOT NULL
            THEN 'ready' ELSE 'voided' END,
          settlement = CASE WHEN settles_first = 1 OR answer IS NOT NULL OR answer_expired_at IS NOT NULL
            THEN settlement ELSE '' END,
          awaits_finality = 0, effect_pending = 0, receipt = NULL, transaction_hash = NULL,
          transfer_log_index = NULL, settled_at = NULL,
          refund_due_at = CASE WHEN refunded_at IS NULL THEN NULL ELSE refund_due_at END,
          response_owed_until = NULL, reopenings = reopenings + 1, reversed_at = ${nowMillis}
        WHERE key = ${key} AND lease_owner = ${owner} AND awaits_finality = 1
          AND (refund_started_at IS NULL OR refunded_at IS NOT NULL) RETURNING key`)
    )
})

const leaseVerbs = (sql: SqlClient.SqlClient): Pick<Verbs, "takeOver" | "yieldLease" | "defer"> => ({
  takeOver: (key, lease, nowMillis) =>
    storing(
      "charges.takeOver",
      tookEffect(sql`
        UPDATE till_charges SET lease_owner = ${lease.owner}, lease_until = ${lease.untilMillis}
        WHERE key = ${key} AND ${sql.literal(unfinished)} AND lease_until <= ${nowMillis}
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
    )
})

const dueVerbs = (sql: SqlClient.SqlClient): Pick<Verbs, "unfinished" | "voidedDue" | "releaseVoided"> => {
  const order = sql.literal(`${unfinishedDue}, created_at, key`)
  /** The due charges of one queue, by its part of the index. */
  const dueOf = (queue: number, nowMillis: number, limit: number) => sql`
    SELECT * FROM till_charges
    WHERE ${sql.literal(`${unfinished} AND ${unfinishedQueue} = ${queue} AND ${unfinishedDue}`)} <= ${nowMillis}
      AND lease_until <= ${nowMillis}
    ORDER BY ${order} LIMIT ${limit}`
  const columns = sql.literal(chargeColumns)
  // SQLite has one writer. On PostgreSQL two bulk deletions could lock the same rows in different orders.
  const locking = sql.onDialectOrElse({
    pg: () => sql.literal("ORDER BY key FOR UPDATE SKIP LOCKED"),
    orElse: () => sql.literal("")
  })
  return {
    unfinished: (nowMillis, limit) =>
      storing(
        "charges.unfinished",
        toCharges(sql`
          SELECT ${columns} FROM (
            SELECT * FROM (${dueOf(0, nowMillis, limit)}) AS others
            UNION ALL SELECT * FROM (${dueOf(1, nowMillis, limit)}) AS claims) AS due
          ORDER BY ${sql.literal(unfinishedQueue)}, ${order} LIMIT ${limit}`)
      ),
    voidedDue: (nowMillis, limit) =>
      storing(
        "charges.voidedDue",
        toCharges(sql`SELECT ${columns} FROM (${dueOf(2, nowMillis, limit)}) AS due ORDER BY ${order}`)
      ),
    releaseVoided: (keys, nowMillis) =>
      storing(
        "charges.releaseVoided",
        Effect.map(
          sql`
            DELETE FROM till_charges WHERE key IN (
              SELECT key FROM till_charges WHERE ${sql.in("key", keys)}
                AND state = 'voided' AND subject IS NULL AND refunded_at IS NULL AND lease_until <= ${nowMillis}
              ${locking})
            RETURNING key`,
          ({ length }) => length
        )
      )
  }
}

const toCharges = (
  rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
): Effect.Effect<ReadonlyArray<Charge>, SqlError.SqlError> =>
  Effect.map(rows, (found) => (found as ReadonlyArray<ChargeRow>).map(toCharge))

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
        SELECT ${sql.literal(chargeColumns)} FROM till_charges WHERE ${conditions(sql, query)}
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
 * Charges and ledger in a database. Nearly every verb is one conditional statement, so the database decides
 * each race; `startRefund` is a transaction. The ledger's entries are made by the triggers of the schema, in the
 * statement that changes the charge.
 */
export const layer: Layer.Layer<Charges, never, SqlClient.SqlClient> = Layer.effect(
  Charges,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Charges.of({
      claim: claimVerb(sql),
      payerStanding: payerStandingVerb(sql),
      ...transitionVerbs(sql),
      ...settledVerbs(sql),
      ...leaseVerbs(sql),
      ...dueVerbs(sql),
      ...recordVerbs(sql),
      ...refundVerbs(sql),
      ...ledgerVerbs(sql)
    })
  )
)
