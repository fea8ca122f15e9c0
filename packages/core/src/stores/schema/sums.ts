import type { SqlClient, Statement } from "effect/sql"

/*
 * Sums of amounts. Amounts are digits of any length, and SQLite adds 64-bit integers, which tokens of 18 decimals
 * exceed: there the low digits are summed separately.
 */

export interface SumRow {
  readonly high: string | null
  readonly low: string | null
}

const lowDigits = 9

/** The columns `high` and `low`, whose sum is that of `amount`. */
export const sumColumns = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql.onDialectOrElse({
    pg: () => sql.literal("'0' AS high, CAST(SUM(CAST(amount AS NUMERIC)) AS TEXT) AS low"),
    orElse: () =>
      sql.literal(`
        CAST(SUM(CAST(substr(amount, 1, length(amount) - ${lowDigits}) AS INTEGER)) AS TEXT) AS high,
        CAST(SUM(CAST(substr(amount, -${lowDigits}) AS INTEGER)) AS TEXT) AS low`)
  })

/** The sum in those columns; 0 without rows. */
export const toSum = ({ high, low }: SumRow): bigint =>
  BigInt(high ?? 0) * 10n ** BigInt(lowDigits) + BigInt(low ?? 0)
