import type { SqlClient, Statement } from "effect/sql"

/*
 * Sums of amounts. Amounts are digits of any length; SQLite adds 64 bits, which tokens of 18 decimals outgrow. There
 * the low digits are summed apart.
 */

export interface SumRow {
  readonly high: string | null
  readonly low: string | null
}

const lowDigits = 9

/** The columns of a sum of `amount`: `high` and `low`. */
export const sumColumns = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql.onDialectOrElse({
    pg: () => sql.literal("'0' AS high, CAST(SUM(CAST(amount AS NUMERIC)) AS TEXT) AS low"),
    orElse: () =>
      sql.literal(`
        CAST(SUM(CAST(substr(amount, 1, length(amount) - ${lowDigits}) AS INTEGER)) AS TEXT) AS high,
        CAST(SUM(CAST(substr(amount, -${lowDigits}) AS INTEGER)) AS TEXT) AS low`)
  })

/** The sum of those columns; of no rows it is 0. */
export const toSum = ({ high, low }: SumRow): bigint =>
  BigInt(high ?? 0) * 10n ** BigInt(lowDigits) + BigInt(low ?? 0)
