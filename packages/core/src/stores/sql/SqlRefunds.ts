import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Charge, LedgerKind, RefundLimit, RefundStart } from "../../ports/Charges.ts"
import type { RefundMethods } from "../../ports/Refund.ts"
import { findCharge } from "./chargeRows.ts"
import { storing, tookEffect, untilDecided } from "./statements.ts"
import { sumColumns, type SumRow, toSum } from "../schema/sums.ts"

interface StopRow {
  readonly reason: string
  readonly at: number | string
}

/** Refunds in a database. */
export const refundMethods = (sql: SqlClient.SqlClient): RefundMethods => ({
  markRefundDue: (key, nowMillis, owner) =>
    storing(
      "charges.markRefundDue",
      tookEffect(sql`
        UPDATE till_charges SET refund_due_at = ${nowMillis}, response_owed_until = NULL
        WHERE key = ${key} AND state = 'settled' AND refund_due_at IS NULL
          AND lease_owner = ${owner ?? sql.literal("lease_owner")} RETURNING key`)
    ),
  startRefund: startRefundMethod(sql),
  recordRefund: (key, transaction, nowMillis) =>
    storing(
      "charges.recordRefund",
      tookEffect(sql`
        UPDATE till_charges SET refunded_at = ${nowMillis}, refund_transaction = ${transaction}
        WHERE key = ${key} AND refund_due_at IS NOT NULL AND refunded_at IS NULL RETURNING key`)
    ),
  recordManualRefund: (key, transaction, stoppedBeforeMillis, nowMillis) =>
    storing(
      "charges.recordManualRefund",
      tookEffect(sql`
        UPDATE till_charges SET refunded_at = ${nowMillis}, refund_transaction = ${transaction}
        WHERE key = ${key} AND refund_due_at IS NOT NULL AND refunded_at IS NULL
          AND (refund_started_at IS NULL
            OR EXISTS (SELECT 1 FROM till_refund_stop WHERE at <= ${stoppedBeforeMillis}))
        RETURNING key`)
    ),
  recordFurtherRefund: recordFurtherRefundMethod(sql),
  refundStop: () =>
    storing(
      "charges.refundStop",
      Effect.map(sql<StopRow>`SELECT reason, at FROM till_refund_stop WHERE id = 1`, ([row]) =>
        row === undefined ? undefined : { reason: row.reason, atMillis: Number(row.at) }
      )
    ),
  stopRefunds: (reason, nowMillis) =>
    storing(
      "charges.stopRefunds",
      tookEffect(sql`
        INSERT INTO till_refund_stop (id, reason, at) VALUES (1, ${reason}, ${nowMillis})
        ON CONFLICT (id) DO NOTHING RETURNING id`)
    ),
  resumeRefunds: () =>
    storing("charges.resumeRefunds", tookEffect(sql`DELETE FROM till_refund_stop WHERE id = 1 RETURNING id`))
})

/** `recordFurtherRefund`: of concurrent entries with one round, one wins, and the others try the next round. */
const recordFurtherRefundMethod = (sql: SqlClient.SqlClient): RefundMethods["recordFurtherRefund"] => {
  const others = (key: string, transaction: string) => sql`
    FROM till_charges WHERE key = ${key} AND refunded_at IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM till_ledger AS known
      WHERE known.charge_key = ${key} AND known.kind = 'refunded' AND known.transaction_hash = ${transaction})`

  const enter = Effect.fnUntraced(function* (key: string, transaction: string, nowMillis: number) {
    const day = new Date(nowMillis).toISOString().slice(0, 10)
    const entered = yield* tookEffect(sql`
      INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount,
        transaction_hash)
      SELECT key, 'refunded',
        (SELECT MAX(last.round) + 1 FROM till_ledger AS last WHERE last.charge_key = ${key} AND last.kind = 'refunded'),
        ${nowMillis}, ${day}, operation, network, asset, payer, pay_to, amount, ${transaction}
      ${others(key, transaction)}
      ON CONFLICT (charge_key, kind, round) DO NOTHING RETURNING charge_key`)
    if (entered) return true
    const [open] = yield* sql`SELECT key ${others(key, transaction)}`
    return open === undefined ? false : undefined
  })

  return (key, transaction, nowMillis) =>
    storing("charges.recordFurtherRefund", untilDecided(enter(key, transaction, nowMillis)))
}

/**
 * `startRefund`: reads the payer's sums, decides and writes in one transaction. SQLite runs one writing transaction at
 * a time; on PostgreSQL, refunds of one payer wait for each other.
 */
const startRefundMethod = (sql: SqlClient.SqlClient): RefundMethods["startRefund"] => {
  // A separate statement: the next ones see what was committed while it waited.
  const locked = (key: string) =>
    sql.onDialectOrElse({
      pg: () =>
        sql`SELECT pg_advisory_xact_lock(402, hashtext(payer)) FROM till_charges WHERE key = ${key}` as Effect.Effect<
          unknown,
          SqlError.SqlError
        >,
      orElse: () => Effect.void
    })

  const decide = Effect.fnUntraced(function* (
    key: string,
    limit: RefundLimit,
    nowMillis: number
  ): Effect.fn.Return<RefundStart | undefined, SqlError.SqlError> {
    const charge = yield* findCharge(sql, key)
    if (charge?.refund?._tag !== "Due") return { _tag: "NotDue" }
    if (charge.refund.startedAtMillis !== undefined) return { _tag: "Started" }
    const sums = yield* sumsOfPayer(sql, charge, limit)
    const amount = BigInt(charge.amountAtomic)
    if (sums.refunded + amount > sums.received) return { _tag: "ExceedsReceived" }
    if (sums.started + amount > BigInt(limit.maxAtomic)) return { _tag: "OverLimit" }
    const started = yield* tookEffect(sql`
      UPDATE till_charges SET refund_started_at = ${nowMillis}
      WHERE key = ${key} AND refund_due_at IS NOT NULL AND refund_started_at IS NULL AND refunded_at IS NULL
      RETURNING key`)
    // It was due when it was read, and was sent or reopened since.
    return started ? { _tag: "Started" } : undefined
  })

  return (key, limit, nowMillis) =>
    storing(
      "charges.startRefund",
      sql.withTransaction(Effect.andThen(locked(key), untilDecided(decide(key, limit, nowMillis))))
    )
}

/** Sums what a payer paid and was refunded: over all time on the charge's network and asset, and in the window. */
const sumsOfPayer = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { asset, network, payer }: Charge,
  { sinceMillis }: RefundLimit
) {
  const sums = sumColumns(sql)
  const entered = yield* sql<SumRow & { readonly kind: LedgerKind }>`
    SELECT kind, ${sums} FROM till_ledger
    WHERE payer = ${payer} AND network = ${network} AND asset = ${asset} AND kind IN ('settled', 'reversed')
    GROUP BY kind`
  const sumOf = (kind: LedgerKind) => entered.filter((row) => row.kind === kind).map(toSum)[0] ?? 0n
  const refunds = sql.literal("(refund_started_at IS NOT NULL OR refunded_at IS NOT NULL)")
  const [refunded] = yield* sql<SumRow>`
    SELECT ${sums} FROM till_charges
    WHERE payer = ${payer} AND ${refunds} AND network = ${network} AND asset = ${asset}`
  const [started] = yield* sql<SumRow>`
    SELECT ${sums} FROM till_charges
    WHERE payer = ${payer} AND ${refunds} AND refund_started_at >= ${sinceMillis}`
  return {
    received: sumOf("settled") - sumOf("reversed"),
    refunded: toSum(refunded!),
    started: toSum(started!)
  }
})
