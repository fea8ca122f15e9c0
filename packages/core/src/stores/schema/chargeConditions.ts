import { expiredMarginMillis } from "../../ports/chargeRules.ts"

/*
 * Conditions of charges that statements and partial indexes share: an engine uses a partial index only if the
 * statement repeats its condition.
 */

/**
 * The state of a charge that is found by its key, in a form that rules out the partial indexes of a state: PostgreSQL would
 * read all dead entries of one that is nearly empty when it plans.
 */
export const plainState = "(state || '')"

/**
 * Unfinished charges: those that `takeOver` takes. No other condition implies this form, so that PostgreSQL reads their index for
 * this one alone.
 */
export const unfinished = `CASE WHEN state = 'settled'
      THEN effect_pending = 1 OR awaits_finality = 1 OR response_owed_until IS NOT NULL ELSE TRUE END`

/** The queue of an unfinished charge: `unfinished` reads queue 0, then 1; `voidedDue` reads 2. */
export const unfinishedQueue = `CASE WHEN state = 'claimed' THEN 1
      WHEN state = 'voided' AND subject IS NULL AND refunded_at IS NULL THEN 2 ELSE 0 END`

/** When it is due; a pending effect is always due. */
export const unfinishedDue = "CASE WHEN effect_pending = 1 THEN 0 ELSE check_after END"

/** Charges that can count against the limits of their payer: few rows, however many were refused before. */
export const countsForPayer = "state <> 'settled' AND (state <> 'voided' OR exposure > 0)"

const mayBeRepeated = "state <> 'voided' AND refund_due_at IS NULL"

/** Charges that a later one may repeat by what it buys; those that are voided or refunded are few. */
export const guardsRepeats = `repeat_key <> '' AND ${mayBeRepeated}`

/** Charges that a later one may repeat by the id that the client gave both. */
export const guardsItsName = `payment_id <> '' AND ${mayBeRepeated}`

/** Whether a ready charge still counts for its payer: see `expiredMarginMillis`. */
export const mayStillMove = (now: string): string => `valid_before * 1000 + ${expiredMarginMillis} > ${now}`

/** The kind of what a charge bought. */
export const subjectKinds = {
  sqlite: "json_extract(subject, '$.kind')",
  postgres: "(CAST(subject AS json) ->> 'kind')"
}

/** The unique index that rejects a transfer which has settled another charge. */
export const transferIndex = "till_charges_transfer"
