import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { SettlementMethods } from "../../ports/ChargeMethods.ts"
import { earlierCheck } from "../../ports/chargeRules.ts"
import type { Completion } from "../../ports/Charges.ts"
import { plainState, transferIndex } from "../schema/chargeConditions.ts"
import { storing, tookEffect } from "./statements.ts"

type Transitions = Omit<SettlementMethods, "deliver" | "finalize" | "reopen">
type AfterSettlement = Pick<SettlementMethods, "deliver" | "finalize" | "reopen">

const asJson = (value: object | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value)

/** Whether a statement failed because its transfer has already settled another charge. */
const isTransferTaken = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "UniqueViolation" &&
  // PostgreSQL names the index, SQLite its columns.
  (reason.constraint === transferIndex || reason.constraint.includes("till_charges.transfer_log_index"))

/** The charges that can settle: see `canSettle`. */
const withRefund = `${plainState} IN ('ready', 'voided')`
const withResponse = `refunded_at IS NULL
  AND (${plainState} = 'ready' OR (${plainState} = 'voided' AND settles_first = 1))`

const completeMethod =
  (sql: SqlClient.SqlClient): SettlementMethods["complete"] =>
  (key, settlement, nowMillis) => {
    const { finalAfterMillis, owner, receipt, refundDue } = settlement
    const awaitsFinality = finalAfterMillis !== undefined
    const owedUntilMillis = refundDue ? undefined : settlement.responseOwedUntilMillis
    // A refund that was sent before the charge was reopened stays.
    const completed = tookEffect(sql`
      UPDATE till_charges SET state = 'settled', attempts = 0,
        settlement = ${awaitsFinality ? sql.literal("settlement") : ""}, awaits_finality = ${awaitsFinality ? 1 : 0},
        check_after = ${earlierCheck(finalAfterMillis, owedUntilMillis)},
        response_owed_until = ${owedUntilMillis ?? null},
        receipt = ${JSON.stringify(receipt)}, transaction_hash = ${receipt.transaction},
        transfer_log_index = ${settlement.transferLogIndex ?? null}, reported_by = ${settlement.reportedBy ?? null},
        settled_at = ${nowMillis},
        refund_due_at = CASE WHEN refunded_at IS NULL
          THEN CAST(${refundDue ? nowMillis : null} AS BIGINT) ELSE refund_due_at END,
        effect_pending = CASE WHEN subject IS NULL THEN 0 ELSE ${refundDue ? 0 : 1} END
      WHERE key = ${key} AND lease_owner = ${owner ?? sql.literal("lease_owner")}
        AND ${sql.literal(refundDue ? withRefund : withResponse)} RETURNING key`)
    return storing(
      "charges.complete",
      completed.pipe(
        Effect.map((took): Completion => ({ _tag: took ? "Completed" : "NotOpen" })),
        Effect.catchIf(isTransferTaken, () => Effect.succeed<Completion>({ _tag: "TransferTaken" }))
      )
    )
  }

const transitions = (sql: SqlClient.SqlClient): Transitions => ({
  advance: (key, owner, { response, subject }) =>
    storing(
      "charges.advance",
      tookEffect(sql`
        UPDATE till_charges SET state = 'ready', response = ${asJson(response)}, subject = ${asJson(subject)}
        WHERE key = ${key} AND ${sql.literal(plainState)} = 'claimed' AND lease_owner = ${owner} RETURNING key`)
    ),
  complete: completeMethod(sql),
  markApplied: (key) =>
    storing(
      "charges.markApplied",
      tookEffect(
        sql`UPDATE till_charges SET effect_pending = 0 WHERE key = ${key} AND effect_pending = 1 RETURNING key`
      )
    ),
  void: (key, owner, { checkAfterMillis, isRefused = false, keepExposure }) =>
    storing(
      "charges.void",
      tookEffect(sql`
        UPDATE till_charges SET state = 'voided', lease_until = 0, attempts = 0, settlement = '', response = NULL,
          check_after = ${checkAfterMillis}, exposure = ${keepExposure ? sql.literal("exposure") : 0},
          refused_digest = ${sql.literal(isRefused ? "payload_digest" : "refused_digest")}
        WHERE key = ${key} AND ${sql.literal(plainState)} IN ('claimed', 'ready') AND lease_owner = ${owner} RETURNING key`)
    ),
  release: (key, owner) =>
    storing(
      "charges.release",
      tookEffect(sql`
        DELETE FROM till_charges
        WHERE key = ${key} AND ${sql.literal(plainState)} IN ('claimed', 'voided') AND lease_owner = ${owner}
          AND refunded_at IS NULL RETURNING key`)
    )
})

const afterSettlement = (sql: SqlClient.SqlClient): AfterSettlement => ({
  deliver: (key, owner, response) =>
    storing(
      "charges.deliver",
      tookEffect(sql`
        UPDATE till_charges SET response = ${JSON.stringify(response)}, response_owed_until = NULL
        WHERE key = ${key} AND lease_owner = ${owner} AND state = 'settled' AND response_owed_until IS NOT NULL
          AND refund_due_at IS NULL RETURNING key`)
    ),
  finalize: (key, owner) =>
    storing(
      "charges.finalize",
      tookEffect(sql`
        UPDATE till_charges SET awaits_finality = 0, settlement = ''
        WHERE key = ${key} AND lease_owner = ${owner} AND awaits_finality = 1 RETURNING key`)
    ),
  reopen: (key, owner, nowMillis) =>
    storing(
      "charges.reopen",
      tookEffect(sql`
        UPDATE till_charges SET
          state = CASE WHEN settles_first = 1 OR response IS NOT NULL OR response_expired_at IS NOT NULL
            THEN 'ready' ELSE 'voided' END,
          settlement = CASE WHEN settles_first = 1 OR response IS NOT NULL OR response_expired_at IS NOT NULL
            THEN settlement ELSE '' END,
          awaits_finality = 0, effect_pending = 0, receipt = NULL, transaction_hash = NULL, transfer_log_index = NULL,
          reported_by = NULL, settled_at = NULL,
          refund_due_at = CASE WHEN refunded_at IS NULL THEN NULL ELSE refund_due_at END,
          response_owed_until = NULL, reopenings = reopenings + 1, reversed_at = ${nowMillis}
        WHERE key = ${key} AND lease_owner = ${owner} AND awaits_finality = 1
          AND (refund_started_at IS NULL OR refunded_at IS NOT NULL) RETURNING key`)
    )
})

/** Changes of a charge's state in a database. */
export const settlementMethods = (sql: SqlClient.SqlClient): SettlementMethods => ({
  ...transitions(sql),
  ...afterSettlement(sql)
})
