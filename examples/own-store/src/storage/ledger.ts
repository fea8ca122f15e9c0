import type {
  Charge,
  ChargeStore,
  CompletedSettlement,
  LedgerEntry,
  LedgerKind,
  LedgerTotal
} from "@till402/core"
import postgres from "postgres"
import { type Database, json } from "./database.ts"

/*
 * The functions that settle a charge or undo that, and the ledger. A charge and its entry change in one statement or
 * transaction, so they never disagree.
 */

/**
 * Ends a statement that begins with `WITH moved AS (UPDATE till.charges ... RETURNING *)`. The round of an entry is the
 * number of earlier settlements of its charge that were undone.
 */
export const book = (
  sql: Database,
  kinds: ReadonlyArray<LedgerKind>,
  atMillis: number,
  transaction: string | null
) => sql`
  INSERT INTO till.ledger
    (charge_key, kind, at_millis, operation, network, asset, payer, pay_to, amount_atomic, transaction,
      transfer_log_index, round)
  SELECT key, kind, ${atMillis}::bigint, operation, network, asset, payer, pay_to, amount_atomic,
    CASE WHEN kind <> 'refund_due' THEN ${transaction}::text END,
    CASE WHEN kind = 'settled' THEN transfer_log_index END,
    (SELECT count(*) FROM till.ledger AS earlier WHERE earlier.charge_key = moved.key AND earlier.kind = 'reversed')
  FROM moved CROSS JOIN unnest(${[...kinds]}::text[]) AS kind
  -- A refund that was sent before its charge was reopened is not due once more.
  WHERE kind <> 'refund_due' OR moved.refund ->> '_tag' = 'Due'`

/** Whether a statement failed because its transfer has settled another charge. */
const isTransferTaken = (error: unknown): boolean =>
  error instanceof postgres.PostgresError &&
  error.code === "23505" &&
  error.constraint_name === "charges_one_transfer"

export const ledgerVerbs = (sql: Database) => {
  /** Settles a charge; returns the number of entries written. */
  const complete = async (
    key: string,
    settlement: CompletedSettlement,
    nowMillis: number
  ): Promise<number> => {
    const { finalAfterMillis, owner, receipt, refundDue, transferLogIndex } = settlement
    const owedUntilMillis = refundDue ? null : (settlement.responseOwedUntilMillis ?? null)
    const { count } = await sql`
      WITH moved AS (
        UPDATE till.charges
        SET state = 'settled', receipt = ${json(sql, receipt)}, transfer_log_index = ${transferLogIndex ?? null},
          reported_by = ${settlement.reportedBy ?? null},
          settled_at_millis = ${nowMillis},
          refund = coalesce(refund, ${json(sql, refundDue ? { _tag: "Due" } : undefined)}),
          effect_pending = subject IS NOT NULL AND NOT ${refundDue}::boolean,
          awaits_finality = ${finalAfterMillis !== undefined},
          settlement = CASE WHEN ${finalAfterMillis !== undefined}::boolean THEN settlement ELSE '' END,
          response_owed_until_millis = ${owedUntilMillis}::bigint,
          attempts = 0, check_after_millis = coalesce(least(${finalAfterMillis ?? null}::bigint, ${owedUntilMillis}::bigint), 0)
        -- A voided charge has no response: one has to be owed, or a refund has to be due. An open charge has no refund but
        -- one that was sent before it was reopened: it stays, and the charge buys nothing any more.
        WHERE key = ${key} AND ${
          refundDue
            ? sql`state IN ('ready', 'voided')`
            : sql`refund IS NULL AND (state = 'ready' OR (state = 'voided' AND settles_first))`
        }
          ${owner === undefined ? sql`` : sql`AND lease_owner = ${owner}`}
        RETURNING *)
      ${book(sql, refundDue ? ["settled", "refund_due"] : ["settled"], nowMillis, receipt.transaction)}`
    return count
  }

  return {
    complete: async (key, settlement, nowMillis) => {
      try {
        return { _tag: (await complete(key, settlement, nowMillis)) > 0 ? "Completed" : "NotOpen" }
      } catch (error) {
        // The whole statement was undone: nothing was written.
        if (isTransferTaken(error)) return { _tag: "TransferTaken" }
        throw error
      }
    },

    reopen: (key, owner, nowMillis) =>
      sql.begin(async (sql) => {
        const [settled] = await sql<Array<Charge>>`
          SELECT * FROM till.charges WHERE key = ${key} AND lease_owner = ${owner} AND awaits_finality FOR UPDATE`
        const { receipt, refund, transferLogIndex } = settled ?? {}
        const isUnderWay = refund?._tag === "Due" && refund.startedAtMillis !== undefined
        if (settled === undefined || isUnderWay) return false
        await sql`
          INSERT INTO till.ledger
            (charge_key, kind, at_millis, operation, network, asset, payer, pay_to, amount_atomic, transaction,
              transfer_log_index, round)
          SELECT key, 'reversed', ${nowMillis}, operation, network, asset, payer, pay_to, amount_atomic,
            ${receipt!.transaction}, ${transferLogIndex ?? null},
            (SELECT count(*) FROM till.ledger WHERE charge_key = ${key} AND kind = 'reversed')
          FROM till.charges WHERE key = ${key}`
        await sql`
          UPDATE till.charges
          SET
            state = CASE WHEN settles_first OR response IS NOT NULL OR response_expired_at_millis IS NOT NULL
              THEN 'ready' ELSE 'voided' END,
            settlement = CASE WHEN settles_first OR response IS NOT NULL OR response_expired_at_millis IS NOT NULL
              THEN settlement ELSE '' END,
            receipt = NULL, transfer_log_index = NULL, reported_by = NULL, settled_at_millis = NULL,
            refund = CASE WHEN refund ->> '_tag' = 'Sent' THEN refund END,
            effect_pending = false, awaits_finality = false, response_owed_until_millis = NULL,
            reopenings = reopenings + 1
          WHERE key = ${key}`
        return true
      }),

    entries: ({ before, beforeMillis, chargeKeys, fromMillis, limit, network, payer }) => sql<
      Array<LedgerEntry>
    >`
      SELECT * FROM till.ledger
      WHERE true
        ${fromMillis === undefined ? sql`` : sql`AND at_millis >= ${fromMillis}`}
        ${beforeMillis === undefined ? sql`` : sql`AND at_millis < ${beforeMillis}`}
        ${chargeKeys === undefined ? sql`` : sql`AND charge_key = ANY(${[...chargeKeys]})`}
        ${network === undefined ? sql`` : sql`AND network = ${network}`}
        ${payer === undefined ? sql`` : sql`AND payer = ${payer}`}
        ${
          before === undefined
            ? sql``
            : sql`AND (at_millis, charge_key, kind, round)
                < (${before.atMillis}, ${before.chargeKey}, ${before.kind}, ${before.round})`
        }
      ORDER BY at_millis DESC, charge_key DESC, kind DESC, round DESC LIMIT ${limit}`,

    totals: (fromMillis, beforeMillis) => sql<Array<LedgerTotal>>`
      SELECT to_char(DATE '1970-01-01' + (at_millis / 86400000)::integer, 'YYYY-MM-DD') AS day,
        operation, network, asset, kind, count(*) AS count, sum(amount_atomic) AS amount_atomic
      FROM till.ledger
      WHERE at_millis >= ${fromMillis} AND at_millis < ${beforeMillis}
      GROUP BY day, operation, network, asset, kind
      ORDER BY day, operation, network, asset, kind`
  } satisfies Partial<ChargeStore>
}
