import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { RecordMethods } from "../../ports/ChargeMethods.ts"
import { Charges, type ChargesQuery, type SettledQuery } from "../../ports/Charges.ts"
import { subjectKinds, unfinished, unfinishedQueue } from "../schema/chargeConditions.ts"
import { dueMethods, leaseMethods } from "./ChargeQueues.ts"
import {
  chargeColumns,
  type ChargeRow,
  findCharge,
  settledColumns,
  type SettledRow,
  toSettledCharge
} from "./chargeRows.ts"
import { claimMethod, findRepeatedMethod } from "./claim.ts"
import { ledgerMethods } from "./SqlLedger.ts"
import { payerActivityMethod } from "./payerActivity.ts"
import { readableCharges } from "./readableCharges.ts"
import { refundAttemptMethods } from "./RefundAttempts.ts"
import { refundMethods } from "./SqlRefunds.ts"
import { type CountRow, countOf, isUnderKey, skippingLocked, storing } from "./statements.ts"
import { settlementMethods } from "./Settlements.ts"

/** The kind of a subject as its index has it. */
const subjectKindColumn = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => sql.literal(subjectKinds.postgres),
    orElse: () => sql.literal(subjectKinds.sqlite)
  })

type Conditions = Omit<ChargesQuery, "limit">

const conditions = (
  sql: SqlClient.SqlClient,
  { before, isRefundDue = false, payer, paymentId, state, subjectKind, transaction }: Conditions
) =>
  sql.and([
    sql`1 = 1`,
    ...(state === undefined ? [] : [sql`state = ${state}`]),
    ...(isRefundDue ? [sql`refund_due_at IS NOT NULL AND refunded_at IS NULL`] : []),
    ...(payer === undefined ? [] : [sql`payer = ${payer}`]),
    ...(paymentId === undefined ? [] : [sql`payment_id = ${paymentId} AND payment_id <> ''`]),
    ...(transaction === undefined ? [] : [sql`transaction_hash = ${transaction}`]),
    ...(subjectKind === undefined
      ? []
      : [sql`subject IS NOT NULL AND ${subjectKindColumn(sql)} = ${subjectKind}`]),
    ...(before === undefined ? [] : [sql`(created_at, key) < (${before.createdAtMillis}, ${before.key})`])
  ])

/** Settled charges, which are kept, have indexes in the order of lists. */
const settled = "state = 'settled'"
/** The others are few: they are found by their queues, and sorted. */
const open = `state <> 'settled' AND ${unfinished} AND ${unfinishedQueue} IN (0, 1, 2)`

/** The parts of a list that are read each by an index, with its condition. */
const partsOf = ({ isRefundDue, paymentId, state, subjectKind, transaction }: Conditions) => {
  if (state !== undefined) return [state === "settled" ? settled : open]
  const hasOwnIndex = isRefundDue || (paymentId ?? transaction ?? subjectKind) !== undefined
  return hasOwnIndex ? ["1 = 1"] : [settled, open]
}

const settledConditions = (
  sql: SqlClient.SqlClient,
  { after, beforeMillis, chargeKeys, fromMillis }: Omit<SettledQuery, "limit">
) =>
  sql.and([
    sql`state = 'settled'`,
    // One lower bound: of two, SQLite may seek the earlier one, and read all pages up to the later.
    ...(after !== undefined && after.settledAtMillis >= (fromMillis ?? 0)
      ? [sql`(settled_at, key) > (${after.settledAtMillis}, ${after.key})`]
      : fromMillis === undefined
        ? []
        : [sql`settled_at >= ${fromMillis}`]),
    ...(beforeMillis === undefined ? [] : [sql`settled_at < ${beforeMillis}`]),
    ...(chargeKeys === undefined ? [] : [sql.in("key", chargeKeys)])
  ])

/** Settled charges that match: given ones are found first and then sorted (see `entriesWhere`). */
const settledWhere = (sql: SqlClient.SqlClient, query: Omit<SettledQuery, "limit">) =>
  sql.onDialectOrElse({
    pg: () =>
      query.chargeKeys === undefined
        ? sql`till_charges WHERE ${settledConditions(sql, query)}`
        : sql`(SELECT * FROM till_charges WHERE ${settledConditions(sql, query)} OFFSET 0) AS given`,
    orElse: () => sql`till_charges WHERE ${settledConditions(sql, query)}`
  })

const recordMethods = (sql: SqlClient.SqlClient): RecordMethods => ({
  list: ({ limit, ...query }) =>
    storing(
      "charges.list",
      readableCharges(limit, (size) => {
        const newest = sql`ORDER BY created_at DESC, key DESC LIMIT ${size}`
        const partOf = (part: string) => sql`SELECT * FROM (
          SELECT * FROM till_charges WHERE ${sql.literal(part)} AND ${conditions(sql, query)} ${newest}) AS part`
        const parts = partsOf(query)
          .map(partOf)
          .reduce((some, part) => sql`${some} UNION ALL ${part}`)
        return sql<ChargeRow>`SELECT ${sql.literal(chargeColumns)} FROM (${parts}) AS parts ${newest}`
      })
    ),
  listSettled: ({ limit, ...query }) =>
    storing(
      "charges.listSettled",
      Effect.map(
        sql<SettledRow>`
          SELECT ${sql.literal(settledColumns)} FROM ${settledWhere(sql, query)}
          ORDER BY settled_at, key LIMIT ${limit}`,
        (rows) => rows.map(toSettledCharge)
      )
    ),
  expire: (beforeMillis, limit) =>
    storing(
      "charges.expire",
      Effect.map(
        // As for orders: selected first, and once.
        sql`
          WITH lapsed AS MATERIALIZED (
            SELECT key FROM till_charges WHERE response IS NOT NULL AND settled_at IS NOT NULL
              AND settled_at < ${beforeMillis} ORDER BY settled_at LIMIT ${limit} ${skippingLocked(sql)})
          UPDATE till_charges SET response = NULL, response_expired_at = ${beforeMillis}
          WHERE response IS NOT NULL AND key IN (SELECT key FROM lapsed) RETURNING key`,
        ({ length }) => length
      )
    ),
  countUnderKey: (keyId, operations, sinceMillis, nowMillis) => {
    const matches = sql.and([
      isUnderKey(sql, keyId),
      ...(operations === undefined ? [] : [sql.in("operation", operations)])
    ])
    // Two counts: each by an index.
    return storing(
      "charges.countUnderKey",
      countOf(sql<CountRow>`
        SELECT
          (SELECT COUNT(*) FROM till_charges
            WHERE ${sql.literal(`${unfinished} AND ${unfinishedQueue} = 0`)}
              AND (state = 'ready' OR response_owed_until > ${nowMillis}) AND ${matches}) +
          (SELECT COUNT(*) FROM till_charges
            WHERE response IS NOT NULL AND settled_at IS NOT NULL AND settled_at >= ${sinceMillis}
              AND (response_owed_until IS NULL OR response_owed_until <= ${nowMillis}) AND ${matches}) AS count`)
    )
  }
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
      findRepeated: findRepeatedMethod(sql),
      payerActivity: payerActivityMethod(sql),
      ...settlementMethods(sql),
      ...leaseMethods(sql),
      ...dueMethods(sql),
      ...recordMethods(sql),
      ...refundMethods(sql),
      ...refundAttemptMethods(sql),
      ...ledgerMethods(sql)
    })
  )
)
