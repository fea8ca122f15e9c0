import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { EntriesQuery, LedgerMethods, LedgerTotal } from "../ports/Ledger.ts"
import { type EntryRow, toEntry } from "./chargeRows.ts"
import { storing } from "./rows.ts"
import { sumColumns, type SumRow, toSum } from "./sums.ts"

interface TotalRow extends SumRow {
  readonly day: string
  readonly operation: string
  readonly network: string
  readonly asset: string
  readonly kind: LedgerTotal["kind"]
  readonly count: number | string
}

const toTotal = ({ count, high, low, ...row }: TotalRow): LedgerTotal => ({
  ...row,
  count: Number(count),
  amountAtomic: toSum({ high, low }).toString()
})

const conditions = (
  sql: SqlClient.SqlClient,
  { before, beforeMillis, chargeKeys, fromMillis, network, payer }: Omit<EntriesQuery, "limit">
) =>
  sql.and([
    sql`1 = 1`,
    ...(fromMillis === undefined ? [] : [sql`at >= ${fromMillis}`]),
    ...(beforeMillis === undefined ? [] : [sql`at < ${beforeMillis}`]),
    ...(chargeKeys === undefined ? [] : [sql.in("charge_key", chargeKeys)]),
    ...(network === undefined ? [] : [sql`network = ${network}`]),
    ...(payer === undefined ? [] : [sql`payer = ${payer}`]),
    ...(before === undefined
      ? []
      : [
          sql`(at, charge_key, kind, round) < (${before.atMillis}, ${before.chargeKey}, ${before.kind}, ${before.round})`
        ])
  ])

/** Reads the ledger in a database. Triggers of the schema append its entries. */
export const ledgerMethods = (sql: SqlClient.SqlClient): LedgerMethods => {
  const sums = sumColumns(sql)
  return {
    entries: ({ limit, ...query }) =>
      storing(
        "charges.entries",
        Effect.map(
          sql<EntryRow>`
            SELECT * FROM till_ledger WHERE ${conditions(sql, query)}
            ORDER BY at DESC, charge_key DESC, kind DESC, round DESC LIMIT ${limit}`,
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
