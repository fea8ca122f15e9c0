import type { ChargeStore, LedgerEntry, LedgerKind, LedgerTotal } from "@till402/core"
import { type Database, json } from "./database.ts"

/*
 * The verbs of a charge that move money, and the books of what they moved. A charge and its entry change in one
 * statement: there is no moment at which one knows of the money and the other does not.
 */

export const ledgerVerbs = (sql: Database) => {
  /** Ends a statement that begins with `WITH moved AS (UPDATE till.charges ... RETURNING *)`. */
  const book = (kinds: ReadonlyArray<LedgerKind>, atMillis: number, transaction: string | null) => sql`
    INSERT INTO till.ledger
      (charge_key, kind, at_millis, operation, network, asset, payer, pay_to, amount_atomic, transaction)
    SELECT key, kind, ${atMillis}::bigint, operation, network, asset, payer, pay_to, amount_atomic,
      CASE WHEN kind <> 'refund_due' THEN ${transaction}::text END
    FROM moved CROSS JOIN unnest(${[...kinds]}::text[]) AS kind`

  return {
    complete: async (key, { receipt, refundDue }, nowMillis) => {
      const { count } = await sql`
        WITH moved AS (
          UPDATE till.charges
          SET state = 'settled', settlement = '', receipt = ${json(sql, receipt)}, settled_at_millis = ${nowMillis},
            refund = ${json(sql, refundDue ? { _tag: "Due" } : undefined)},
            effect_pending = subject IS NOT NULL AND NOT ${refundDue}::boolean,
            attempts = 0, check_after_millis = 0
          -- What was dropped with a voided charge can't be answered: then a refund has to be due.
          WHERE key = ${key}
            AND (state = 'ready' OR (state = 'voided' AND (answer IS NOT NULL OR ${refundDue}::boolean)))
          RETURNING *)
        ${book(refundDue ? ["settled", "refund_due"] : ["settled"], nowMillis, receipt.transaction)}`
      return count > 0
    },

    oweRefund: async (key, nowMillis) => {
      const { count } = await sql`
        WITH moved AS (
          UPDATE till.charges SET refund = ${json(sql, { _tag: "Due" })}
          WHERE key = ${key} AND state = 'settled' AND refund IS NULL
          RETURNING *)
        ${book(["refund_due"], nowMillis, null)}`
      return count === 1
    },

    recordRefund: async (key, transaction, nowMillis) => {
      const { count } = await sql`
        WITH moved AS (
          UPDATE till.charges SET refund = ${json(sql, { _tag: "Sent", transaction })}
          WHERE key = ${key} AND refund ->> '_tag' = 'Due'
          RETURNING *)
        ${book(["refunded"], nowMillis, transaction)}`
      return count === 1
    },

    entries: ({ before, beforeMillis, chargeKeys, fromMillis, limit }) => sql<Array<LedgerEntry>>`
      SELECT * FROM till.ledger
      WHERE true
        ${fromMillis === undefined ? sql`` : sql`AND at_millis >= ${fromMillis}`}
        ${beforeMillis === undefined ? sql`` : sql`AND at_millis < ${beforeMillis}`}
        ${chargeKeys === undefined ? sql`` : sql`AND charge_key = ANY(${[...chargeKeys]})`}
        ${
          before === undefined
            ? sql``
            : sql`AND (at_millis, charge_key, kind) < (${before.atMillis}, ${before.chargeKey}, ${before.kind})`
        }
      ORDER BY at_millis DESC, charge_key DESC, kind DESC LIMIT ${limit}`,

    totals: (fromMillis, beforeMillis) => sql<Array<LedgerTotal>>`
      SELECT to_char(DATE '1970-01-01' + (at_millis / 86400000)::integer, 'YYYY-MM-DD') AS day,
        operation, network, asset, kind, count(*) AS count, sum(amount_atomic) AS amount_atomic
      FROM till.ledger
      WHERE at_millis >= ${fromMillis} AND at_millis < ${beforeMillis}
      GROUP BY day, operation, network, asset, kind
      ORDER BY day, operation, network, asset, kind`
  } satisfies Partial<ChargeStore>
}
