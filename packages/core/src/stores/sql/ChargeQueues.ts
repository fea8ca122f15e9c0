import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { DueMethods, LeaseMethods } from "../../ports/ChargeMethods.ts"
import { unfinished, unfinishedDue, unfinishedQueue } from "../schema/chargeConditions.ts"
import { chargeColumns, type ChargeRow } from "./chargeRows.ts"
import { readableCharges } from "./readableCharges.ts"
import { storing, tookEffect } from "./statements.ts"

/** Leases in a database. */
export const leaseMethods = (sql: SqlClient.SqlClient): LeaseMethods => ({
  takeOver: (key, lease, nowMillis) =>
    storing(
      "charges.takeOver",
      tookEffect(sql`
        UPDATE till_charges SET lease_owner = ${lease.owner}, lease_until = ${lease.untilMillis}
        WHERE key = ${key} AND ${sql.literal(unfinished)} AND lease_until <= ${nowMillis}
        RETURNING key`)
    ),
  yieldLease: (key, owner, untilMillis) =>
    storing(
      "charges.yieldLease",
      Effect.asVoid(
        sql`UPDATE till_charges SET lease_until = ${untilMillis} WHERE key = ${key} AND lease_owner = ${owner}`
      )
    ),
  defer: (key, owner, checkAfterMillis) =>
    storing(
      "charges.defer",
      Effect.asVoid(sql`
        UPDATE till_charges
        SET lease_until = 0, attempts = attempts + 1, check_after = ${checkAfterMillis}
        WHERE key = ${key} AND lease_owner = ${owner}`)
    )
})

/** The reconciler's queues in a database. */
export const dueMethods = (sql: SqlClient.SqlClient): DueMethods => {
  const order = sql.literal(`${unfinishedDue}, created_at, key`)
  /** Selects the due charges of one queue, by its part of the index. */
  const dueOf = (queue: number, nowMillis: number, limit: number) => sql`
    SELECT * FROM till_charges
    WHERE ${sql.literal(`${unfinished} AND ${unfinishedQueue} = ${queue} AND ${unfinishedDue}`)} <= ${nowMillis}
      AND lease_until <= ${nowMillis}
    ORDER BY ${order} LIMIT ${limit}`
  const columns = sql.literal(chargeColumns)
  // SQLite has one writer. On PostgreSQL, two bulk deletions could lock the same rows in different orders.
  const locking = sql.onDialectOrElse({
    pg: () => sql.literal("ORDER BY key FOR UPDATE SKIP LOCKED"),
    orElse: () => sql.literal("")
  })
  return {
    unfinished: (nowMillis, limit) =>
      storing(
        "charges.unfinished",
        readableCharges(
          limit,
          (size) => sql<ChargeRow>`
            SELECT ${columns} FROM (
              SELECT * FROM (${dueOf(0, nowMillis, size)}) AS others
              UNION ALL SELECT * FROM (${dueOf(1, nowMillis, size)}) AS claims) AS due
            ORDER BY ${sql.literal(unfinishedQueue)}, ${order} LIMIT ${size}`
        )
      ),
    voidedDue: (nowMillis, limit) =>
      storing(
        "charges.voidedDue",
        readableCharges(
          limit,
          (size) =>
            sql<ChargeRow>`SELECT ${columns} FROM (${dueOf(2, nowMillis, size)}) AS due ORDER BY ${order}`
        )
      ),
    releaseVoided: (keys, nowMillis) =>
      storing(
        "charges.releaseVoided",
        Effect.map(
          sql`
            DELETE FROM till_charges WHERE key IN (
              SELECT key FROM till_charges WHERE ${sql.in("key", keys)}
                AND state = 'voided' AND subject IS NULL AND refunded_at IS NULL AND lease_until <= ${nowMillis} ${locking})
            RETURNING key`,
          ({ length }) => length
        )
      )
  }
}
