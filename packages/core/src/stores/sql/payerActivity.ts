import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Charges } from "../../ports/Charges.ts"
import { expiredMarginMillis } from "../../ports/chargeRules.ts"
import { countsForPayer } from "../schema/chargeConditions.ts"
import { storing } from "./statements.ts"
import { sumColumns, type SumRow, toSum } from "../schema/sums.ts"

/** Settled charges that are summed up. */
const maxSettled = 200

interface PartRow extends SumRow {
  readonly part: "open" | "settled"
}

/**
 * `payerActivity`: one statement that reads a bounded number of the payer's charges. `+` keeps SQLite from reading all of
 * them by their age.
 */
export const payerActivityMethod = (sql: SqlClient.SqlClient): Charges["Service"]["payerActivity"] => {
  const sums = sumColumns(sql)
  return ({ asset, createdAtMillis, key, network, payer }, sinceMillis, nowMillis) =>
    storing(
      "charges.payerActivity",
      Effect.map(
        sql<PartRow>`
          SELECT 'open' AS part, ${sums} FROM till_charges
          WHERE payer = ${payer} AND ${sql.literal(countsForPayer)} AND network = ${network} AND asset = ${asset}
            AND ((state = 'ready' AND valid_before * 1000 + ${expiredMarginMillis} > ${nowMillis})
              OR (state = 'claimed' AND lease_until > ${nowMillis}))
            AND (+created_at, key) <= (${createdAtMillis}, ${key})
          UNION ALL
          SELECT 'settled' AS part, ${sums} FROM (
            SELECT amount FROM till_charges
            WHERE payer = ${payer} AND state = 'settled' AND refund_due_at IS NULL AND settled_at >= ${sinceMillis}
              AND network = ${network} AND asset = ${asset}
            ORDER BY settled_at DESC LIMIT ${maxSettled}) AS latest`,
        (rows) => {
          const sumOf = (part: PartRow["part"]) => String(toSum(rows.find((row) => row.part === part)!))
          return { openAtomic: sumOf("open"), settledAtomic: sumOf("settled") }
        }
      )
    )
}
