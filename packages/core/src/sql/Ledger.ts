import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Charges, EntriesQuery, LedgerTotal } from "../ports/Charges.ts"
import { type EntryRow, toEntry } from "./chargeRows.ts"
import { storing, tookEffect } from "./rows.ts"

interface TotalRow {
  readonly day: string
  readonly operation: string
  readonly network: string
  readonly asset: string
  readonly kind: LedgerTotal["kind"]
  readonly count: number | string
  readonly high: string
  readonly low: string
}

/** Digits of an amount that are summed apart: SQLite adds 64 bits, which tokens of 18 decimals outgrow. */
const lowDigits = 9

const toTotal = ({ count, high, low, ...row }: TotalRow): LedgerTotal => ({
  ...row,
  count: Number(count),
  amountAtomic: (BigInt(high) * 10n ** BigInt(lowDigits) + BigInt(low)).toString()
})

const conditions = (
  sql: SqlClient.SqlClient,
  { before, beforeMillis, chargeKeys, fromMillis }: Omit<EntriesQuery, "limit">
) =>
  sql.and([
    sql`1 = 1`,
    ...(fromMillis === undefined ? [] : [sql`at >= ${fromMillis}`]),
    ...(beforeMillis === undefined ? [] : [sql`at < ${beforeMillis}`]),
    ...(chargeKeys === undefined ? [] : [sql.in("charge_key", chargeKeys)]),
    ...(before === undefined
      ? []
      : [sql`(at, charge_key, kind) < (${before.atMillis}, ${before.chargeKey}, ${before.kind})`])
  ])

type LedgerVerbs = Pick<Charges["Service"], "oweRefund" | "recordRefund" | "entries" | "totals">

/** The verbs of refunds and of the ledger. Entries are made by the triggers of the schema. */
export const ledgerVerbs = (sql: SqlClient.SqlClient): LedgerVerbs => {
  const sums = sql.onDialectOrElse({
    pg: () => sql.literal("'0' AS high, CAST(SUM(CAST(amount AS NUMERIC)) AS TEXT) AS low"),
    orElse: () =>
      sql.literal(`
        CAST(SUM(CAST(substr(amount, 1, length(amount) - ${lowDigits}) AS INTEGER)) AS TEXT) AS high,
        CAST(SUM(CAST(substr(amount, -${lowDigits}) AS INTEGER)) AS TEXT) AS low`)
  })
  return {
    oweRefund: (key, nowMillis) =>
      storing(
        "charges.oweRefund",
        tookEffect(sql`
          UPDATE till_charges SET refund_due_at = ${nowMillis}
          WHERE key = ${key} AND state = 'settled' AND refund_due_at IS NULL RETURNING key`)
      ),
    recordRefund: (key, transaction, nowMillis) =>
      storing(
        "charges.recordRefund",
        tookEffect(sql`
          UPDATE till_charges SET refunded_at = ${nowMillis}, refund_transaction = ${transaction}
          WHERE key = ${key} AND refund_due_at IS NOT NULL AND refunded_at IS NULL RETURNING key`)
      ),
    entries: ({ limit, ...query }) =>
      storing(
        "charges.entries",
        Effect.map(
          sql<EntryRow>`
            SELECT * FROM till_ledger WHERE ${conditions(sql, query)}
            ORDER BY at DESC, charge_key DESC, kind DESC LIMIT ${limit}`,
          (rows) => rows.map(toEntry)
        )
      ),
    totals: (fromMillis, beforeMillis) =>
      storing(
        "charges.totals",
        Effect.map(
          sql<TotalRow>`
            SELECT day, operation, network, asset, kind, COUNT(*) AS count, ${sums}
            FROM till_ledger WHERE at >= ${fromMillis} AND at < ${beforeMillis}
            GROUP BY day, operation, network, asset, kind
            ORDER BY day, operation, network, asset, kind`,
          (rows) => rows.map(toTotal)
        )
      )
  }
}
