import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { RecordMethods } from "../ports/ChargeMethods.ts"
import { Charges, type ChargesQuery } from "../ports/Charges.ts"
import { dueMethods, leaseMethods } from "./ChargeQueues.ts"
import { chargeColumns, findCharge, toCharges } from "./chargeRows.ts"
import { claimMethod } from "./claim.ts"
import { ledgerMethods } from "./Ledger.ts"
import { payerActivityMethod } from "./payerActivity.ts"
import { refundMethods } from "./Refunds.ts"
import { storing } from "./rows.ts"
import { settlementMethods } from "./Settlements.ts"

const conditions = (
  sql: SqlClient.SqlClient,
  { before, isRefundDue = false, settledBeforeMillis, settledFromMillis, state }: Omit<ChargesQuery, "limit">
) =>
  sql.and([
    sql`1 = 1`,
    ...(state === undefined ? [] : [sql`state = ${state}`]),
    ...(isRefundDue ? [sql`refund_due_at IS NOT NULL AND refunded_at IS NULL`] : []),
    // The condition of a partial index: no engine derives it from a state that is a parameter.
    ...(state === undefined || state === "settled" ? [] : [sql`state <> 'settled'`]),
    ...(settledFromMillis === undefined
      ? []
      : [sql`state = 'settled' AND settled_at >= ${settledFromMillis}`]),
    ...(settledBeforeMillis === undefined
      ? []
      : [sql`state = 'settled' AND settled_at < ${settledBeforeMillis}`]),
    ...(before === undefined ? [] : [sql`(created_at, key) < (${before.createdAtMillis}, ${before.key})`])
  ])

const recordMethods = (sql: SqlClient.SqlClient): RecordMethods => ({
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
        // The condition is repeated: a statement that waited for a row's lock re-evaluates only the outer one.
        sql`
          UPDATE till_charges SET response = NULL, response_expired_at = ${beforeMillis}
          WHERE response IS NOT NULL
            AND key IN (SELECT key FROM till_charges WHERE response IS NOT NULL AND settled_at IS NOT NULL
              AND settled_at < ${beforeMillis} ORDER BY settled_at LIMIT ${limit})
          RETURNING key`,
        ({ length }) => length
      )
    )
})

/**
 * Charges and ledger in a database. Nearly every method is one conditional statement, so the database decides each
 * race; `startRefund` is a transaction. Triggers of the schema append the ledger's entries, in the statement that
 * changes the charge.
 */
export const layer: Layer.Layer<Charges, never, SqlClient.SqlClient> = Layer.effect(
  Charges,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Charges.of({
      find: (key) => storing("charges.find", findCharge(sql, key)),
      claim: claimMethod(sql),
      payerActivity: payerActivityMethod(sql),
      ...settlementMethods(sql),
      ...leaseMethods(sql),
      ...dueMethods(sql),
      ...recordMethods(sql),
      ...refundMethods(sql),
      ...ledgerMethods(sql)
    })
  )
)
