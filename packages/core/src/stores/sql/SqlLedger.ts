import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { compareText } from "../../ports/chargeRules.ts"
import type { EntriesQuery, LedgerMethods, LedgerTotal } from "../../ports/Ledger.ts"
import { type EntryRow, toEntry } from "./chargeRows.ts"
import { storing } from "./statements.ts"
import { sumColumns, type SumRow, toSum } from "../schema/sums.ts"

/** A part of a total, e.g. of one slice. */
interface TotalRow extends SumRow {
  readonly day: string
  readonly operation: string
  readonly network: string
  readonly asset: string
  readonly kind: LedgerTotal["kind"]
  readonly count: number | string
}

const compareTotals = (left: LedgerTotal, right: LedgerTotal): number =>
  compareText(left.day, right.day) ||
  compareText(left.operation, right.operation) ||
  compareText(left.network, right.network) ||
  compareText(left.asset, right.asset) ||
  compareText(left.kind, right.kind)

/** Adds up the parts of each total. */
const toTotals = (parts: ReadonlyArray<TotalRow>): ReadonlyArray<LedgerTotal> => {
  const totals = new Map<string, LedgerTotal>()
  for (const { asset, count, day, high, kind, low, network, operation } of parts) {
    const name = [day, operation, network, asset, kind].join("\n")
    const before = totals.get(name) ?? { count: 0, amountAtomic: "0" }
    const amountAtomic = (BigInt(before.amountAtomic) + toSum({ high, low })).toString()
    totals.set(name, {
      day,
      operation,
      network,
      asset,
      kind,
      count: before.count + Number(count),
      amountAtomic
    })
  }
  return Array.from(totals.values()).toSorted(compareTotals)
}

const conditions = (
  sql: SqlClient.SqlClient,
  { before, beforeMillis, chargeKeys, fromMillis, network, payer }: Omit<EntriesQuery, "limit">
) =>
  sql.and([
    sql`1 = 1`,
    ...(fromMillis === undefined ? [] : [sql`at >= ${fromMillis}`]),
    // One upper bound: of two, SQLite may seek the later one, and read all pages down to the earlier.
    ...(before !== undefined && before.atMillis < (beforeMillis ?? Infinity)
      ? [
          sql`(at, charge_key, kind, round) < (${before.atMillis}, ${before.chargeKey}, ${before.kind}, ${before.round})`
        ]
      : beforeMillis === undefined
        ? []
        : [sql`at < ${beforeMillis}`]),
    ...(chargeKeys === undefined ? [] : [sql.in("charge_key", chargeKeys)]),
    ...(network === undefined ? [] : [sql`network = ${network}`]),
    ...(payer === undefined ? [] : [sql`payer = ${payer}`])
  ])

/**
 * Entries that match. Those of some charges are found first and then sorted: PostgreSQL could read the whole ledger in
 * its order instead, in the hope of meeting them soon.
 */
const entriesWhere = (sql: SqlClient.SqlClient, query: Omit<EntriesQuery, "limit">) =>
  sql.onDialectOrElse({
    pg: () =>
      query.chargeKeys === undefined
        ? sql`till_ledger WHERE ${conditions(sql, query)}`
        : sql`(SELECT * FROM till_ledger WHERE ${conditions(sql, query)} OFFSET 0) AS of_charges`,
    orElse: () => sql`till_ledger WHERE ${conditions(sql, query)}`
  })

/** Reads the ledger in a database. Triggers of the schema append its entries. */
export const ledgerMethods = (sql: SqlClient.SqlClient): LedgerMethods => {
  return {
    entries: ({ limit, ...query }) =>
      storing(
        "charges.entries",
        Effect.map(
          sql<EntryRow>`
            SELECT * FROM ${entriesWhere(sql, query)}
            ORDER BY at DESC, charge_key DESC, kind DESC, round DESC LIMIT ${limit}`,
          (rows) => rows.map(toEntry)
        )
      ),
    totals: (fromMillis, beforeMillis) =>
      storing("charges.totals", Effect.map(sumsOfEntries(sql, fromMillis, beforeMillis), toTotals))
  }
}

/** The sums of a span's entries, in slices: on SQLite, other statements wait while one is read. */
const sumsOfEntries = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  fromMillis: number,
  beforeMillis: number
): Effect.fn.Return<ReadonlyArray<TotalRow>, SqlError.SqlError> {
  const parts: Array<TotalRow> = []
  const sums = sumColumns(sql)
  const slice = sql.onDialectOrElse({ pg: () => 1_000_000, orElse: () => 10_000 })
  for (let from = fromMillis; from < beforeMillis;) {
    const [next] = yield* sql<{ readonly at: number | string }>`
      SELECT at FROM till_ledger WHERE at >= ${from} AND at < ${beforeMillis}
      ORDER BY at LIMIT 1 OFFSET ${slice}`
    // Entries of one millisecond are in one slice, however many.
    const until = next === undefined ? beforeMillis : Math.max(Number(next.at), from + 1)
    parts.push(
      ...(yield* sql<TotalRow>`
        SELECT day, operation, network, asset, kind, COUNT(*) AS count, ${sums}
        FROM till_ledger WHERE at >= ${from} AND at < ${until}
        GROUP BY day, operation, network, asset, kind`)
    )
    from = until
    yield* Effect.yieldNow
  }
  return parts
})
