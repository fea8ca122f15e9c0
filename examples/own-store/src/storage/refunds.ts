import type { Charge, ChargeStore, RefundAttempt, RefundStart, RefundStop } from "@till402/core"
import { type Database, json } from "./database.ts"
import { book } from "./ledger.ts"
import { lockPayer } from "./payers.ts"

interface Sums {
  readonly received: string
  readonly refunded: string
  readonly recent: string
}

/** Refunds: due, started within limits, sent. */
export const refundVerbs = (sql: Database) =>
  ({
    markRefundDue: async (key, nowMillis, owner) => {
      const { count } = await sql`
        WITH moved AS (
          UPDATE till.charges SET refund = ${json(sql, { _tag: "Due" })}, response_owed_until_millis = NULL
          WHERE key = ${key} AND state = 'settled' AND refund IS NULL
            ${owner === undefined ? sql`` : sql`AND lease_owner = ${owner}`}
          RETURNING *)
        ${book(sql, ["refund_due"], nowMillis, null)}`
      return count === 1
    },

    startRefund: (key, { maxAtomic, sinceMillis }, nowMillis) =>
      sql.begin(async (sql): Promise<RefundStart> => {
        const [known] = await sql<
          Array<Pick<Charge, "payer">>
        >`SELECT payer FROM till.charges WHERE key = ${key}`
        if (known === undefined) return { _tag: "NotDue" }
        // Serializes the refunds of one payer, so that both limits count every started refund.
        await lockPayer(sql, known.payer)
        const [charge] = await sql<Array<Charge>>`SELECT * FROM till.charges WHERE key = ${key} FOR UPDATE`
        if (charge?.refund?._tag !== "Due") return { _tag: "NotDue" }
        if (charge.refund.startedAtMillis !== undefined) return { _tag: "Started" }
        const { asset, network, payer } = charge
        const [sums] = await sql<Array<Sums>>`
          SELECT
            (SELECT coalesce(sum(CASE kind WHEN 'settled' THEN amount_atomic ELSE -amount_atomic END), 0)
              FROM till.ledger
              WHERE payer = ${payer} AND network = ${network} AND asset = ${asset}
                AND kind IN ('settled', 'reversed')) AS received,
            (SELECT coalesce(sum(amount_atomic), 0) FROM till.refunds
              WHERE payer = ${payer} AND network = ${network} AND asset = ${asset}) AS refunded,
            (SELECT coalesce(sum(amount_atomic), 0) FROM till.refunds
              WHERE payer = ${payer} AND started_at_millis >= ${sinceMillis}) AS recent`
        const amount = BigInt(charge.amountAtomic)
        if (BigInt(sums!.refunded) + amount > BigInt(sums!.received)) return { _tag: "ExceedsReceived" }
        if (BigInt(sums!.recent) + amount > BigInt(maxAtomic)) return { _tag: "OverLimit" }
        await sql`
          INSERT INTO till.refunds (charge_key, payer, network, asset, amount_atomic, started_at_millis)
          VALUES (${key}, ${payer}, ${network}, ${asset}, ${charge.amountAtomic}, ${nowMillis})`
        const refund = { _tag: "Due", startedAtMillis: nowMillis }
        await sql`UPDATE till.charges SET refund = ${sql.typed.json(refund)} WHERE key = ${key}`
        return { _tag: "Started" }
      }),

    recordRefund: async (key, transaction, nowMillis) => {
      const { count } = await sql`
        WITH moved AS (
          UPDATE till.charges SET refund = ${json(sql, { _tag: "Sent", transaction })}
          WHERE key = ${key} AND refund ->> '_tag' = 'Due'
          RETURNING *),
        counted AS (
          INSERT INTO till.refunds (charge_key, payer, network, asset, amount_atomic)
          SELECT key, payer, network, asset, amount_atomic FROM moved
          ON CONFLICT (charge_key) DO NOTHING)
        ${book(sql, ["refunded"], nowMillis, transaction)}`
      return count === 1
    },

    recordManualRefund: async (key, transaction, stoppedBeforeMillis, nowMillis) => {
      const { count } = await sql`
        WITH moved AS (
          UPDATE till.charges SET refund = ${json(sql, { _tag: "Sent", transaction })}
          WHERE key = ${key} AND refund ->> '_tag' = 'Due'
            AND (refund ->> 'startedAtMillis' IS NULL
              OR EXISTS (SELECT 1 FROM till.refund_stop WHERE at_millis <= ${stoppedBeforeMillis}))
          RETURNING *),
        counted AS (
          INSERT INTO till.refunds (charge_key, payer, network, asset, amount_atomic)
          SELECT key, payer, network, asset, amount_atomic FROM moved
          ON CONFLICT (charge_key) DO NOTHING)
        ${book(sql, ["refunded"], nowMillis, transaction)}`
      return count === 1
    },

    recordFurtherRefund: (key, transaction, nowMillis) =>
      sql.begin(async (sql) => {
        // One at a time, so that each entry gets a round of its own.
        await sql`SELECT 1 FROM till.charges WHERE key = ${key} FOR UPDATE`
        const { count } = await sql`
          INSERT INTO till.ledger
            (charge_key, kind, at_millis, operation, network, asset, payer, pay_to, amount_atomic, transaction, round)
          SELECT key, 'refunded', ${nowMillis}::bigint, operation, network, asset, payer, pay_to, amount_atomic,
            ${transaction}::text, (
              SELECT max(round) + 1 FROM till.ledger AS last WHERE last.charge_key = key AND last.kind = 'refunded')
          FROM till.charges
          WHERE key = ${key} AND refund ->> '_tag' = 'Sent' AND NOT EXISTS (
            SELECT 1 FROM till.ledger AS known WHERE known.charge_key = charges.key AND known.kind = 'refunded'
              AND known.transaction = ${transaction})`
        return count === 1
      }),

    recordRefundAttempt: async (attempt) => {
      const {
        amountAtomic,
        atMillis,
        chargeKey,
        nonce,
        notBefore,
        refundNumber,
        sequence,
        validBefore,
        wallet
      } = attempt
      // The primary key decides between two wallets that have seen the same attempts.
      const { count } = await sql`
        INSERT INTO till.refund_attempts
          (charge_key, refund_number, sequence, wallet, amount_atomic, nonce, not_before, valid_before, at_millis)
        SELECT key, ${refundNumber}, ${sequence}, ${wallet}, ${amountAtomic}, ${nonce}, ${notBefore}, ${validBefore},
          ${atMillis}
        FROM till.charges
        WHERE key = ${chargeKey} AND refund ->> '_tag' = 'Due' AND refund ->> 'startedAtMillis' IS NOT NULL
          AND ${sequence}::bigint = 1 + (SELECT count(*) FROM till.refund_attempts
            WHERE charge_key = ${chargeKey} AND refund_number = ${refundNumber})
        ON CONFLICT DO NOTHING`
      return count === 1
    },

    endRefundAttempt: async ({ chargeKey, refundNumber, sequence, validBefore, wallet }) => {
      const { count } = await sql`
        UPDATE till.refund_attempts SET valid_before = 0
        WHERE charge_key = ${chargeKey} AND refund_number = ${refundNumber} AND sequence = ${sequence}
          AND wallet = ${wallet} AND valid_before = ${validBefore} AND valid_before > 0`
      return count === 1
    },

    refundAttempts: (chargeKeys) => sql<Array<RefundAttempt>>`
      SELECT * FROM till.refund_attempts WHERE charge_key = ANY(${[...chargeKeys]})
      ORDER BY charge_key, refund_number, sequence`,

    refundStop: async () => {
      const [stop] = await sql<Array<RefundStop>>`SELECT reason, at_millis FROM till.refund_stop`
      return stop
    },

    stopRefunds: async (reason, nowMillis) => {
      const { count } = await sql`
        INSERT INTO till.refund_stop (reason, at_millis) VALUES (${reason}, ${nowMillis}) ON CONFLICT DO NOTHING`
      return count === 1
    },

    resumeRefunds: async () => {
      const { count } = await sql`DELETE FROM till.refund_stop`
      return count === 1
    }
  }) satisfies Partial<ChargeStore>
