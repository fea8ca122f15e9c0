import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { RefundAttempt, RefundAttemptMethods } from "../../ports/RefundAttempt.ts"
import { storing, tookEffect } from "./statements.ts"

interface AttemptRow {
  readonly charge_key: string
  readonly refund_number: number | string
  readonly sequence: number | string
  readonly wallet: string
  readonly amount: string
  readonly nonce: string
  readonly not_before: number | string
  readonly valid_before: number | string
  readonly at: number | string
}

const toAttempt = (row: AttemptRow): RefundAttempt => ({
  chargeKey: row.charge_key,
  refundNumber: Number(row.refund_number),
  sequence: Number(row.sequence),
  wallet: row.wallet,
  amountAtomic: row.amount,
  nonce: row.nonce,
  notBefore: Number(row.not_before),
  validBefore: Number(row.valid_before),
  atMillis: Number(row.at)
})

/**
 * Attempts to send refunds, in a database. The primary key decides between concurrent ones: rows are never deleted, so
 * the last sequence that a statement saw can only have grown since.
 */
export const refundAttemptMethods = (sql: SqlClient.SqlClient): RefundAttemptMethods => ({
  recordRefundAttempt: (attempt) =>
    storing(
      "charges.recordRefundAttempt",
      tookEffect(sql`
        INSERT INTO till_refund_attempts
          (charge_key, refund_number, sequence, wallet, amount, nonce, not_before, valid_before, at)
        SELECT key, ${attempt.refundNumber}, ${attempt.sequence}, ${attempt.wallet}, ${attempt.amountAtomic},
          ${attempt.nonce}, ${attempt.notBefore}, ${attempt.validBefore}, ${attempt.atMillis}
        -- By its key first: PostgreSQL could read all refunds that were started instead.
        FROM (SELECT key, refund_started_at, refunded_at FROM till_charges
          WHERE key = ${attempt.chargeKey} LIMIT 1) AS charge
        WHERE refund_started_at IS NOT NULL AND refunded_at IS NULL
          AND ${attempt.sequence} = 1 + (
            SELECT COUNT(*) FROM till_refund_attempts
            WHERE charge_key = ${attempt.chargeKey} AND refund_number = ${attempt.refundNumber})
        ON CONFLICT (charge_key, refund_number, sequence) DO NOTHING RETURNING charge_key`)
    ),
  endRefundAttempt: ({ chargeKey, refundNumber, sequence, validBefore, wallet }) =>
    storing(
      "charges.endRefundAttempt",
      tookEffect(sql`
        UPDATE till_refund_attempts SET valid_before = 0
        WHERE charge_key = ${chargeKey} AND refund_number = ${refundNumber} AND sequence = ${sequence}
          AND wallet = ${wallet} AND valid_before = ${validBefore} AND valid_before > 0 RETURNING charge_key`)
    ),
  refundAttempts: (chargeKeys) =>
    storing(
      "charges.refundAttempts",
      chargeKeys.length === 0
        ? Effect.succeed([])
        : Effect.map(
            sql<AttemptRow>`
              SELECT * FROM till_refund_attempts WHERE ${sql.in("charge_key", chargeKeys)}
              ORDER BY charge_key, refund_number, sequence`,
            (rows) => rows.map(toAttempt)
          )
    )
})
