import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { expiredMarginMillis } from "../../ports/chargeRules.ts"
import type { Charges, Claim, Lease, NewCharge } from "../../ports/Charges.ts"
import { countsForPayer, mayStillMove } from "../schema/chargeConditions.ts"
import { chargeColumns, newChargeColumns, newChargeJson, newChargeValues, toCharges } from "./chargeRows.ts"
import { MayBeLost } from "./MayBeLost.ts"
import { storing, untilDecided } from "./rows.ts"

type Placeholder = (index: number) => string

/**
 * Counts a payer's other charges that count against their limits, and sums their exposure. Parameters: payer, key, now.
 * A voided charge that kept its exposure (work was done for it) adds to the sum, not to the count.
 */
const othersOfPayer = (placeholder: Placeholder, first: number): string => `
  (SELECT COUNT(CASE WHEN state <> 'voided' THEN 1 END) AS unsettled, COALESCE(SUM(exposure), 0) AS exposure
    FROM till_charges
    WHERE payer = ${placeholder(first)} AND key <> ${placeholder(first + 1)} AND ${countsForPayer}
      AND (state <> 'claimed' OR lease_until > ${placeholder(first + 2)})
      AND (state <> 'ready' OR ${mayStillMove(placeholder(first + 2))})) AS others`

/** A charge that a claim replaces; see `ClaimMethods.claim`. */
const isFree = (now: string, owner: string): string => `
  ((till_charges.state = 'claimed' AND till_charges.lease_until <= ${now})
    OR (till_charges.state = 'voided' AND till_charges.lease_owner = ${owner}
      AND till_charges.refunded_at IS NULL))`

const isBelowCount = (max: string): string => `others.unsettled < ${max}`

const isWithinExposure = (added: string, max: string): string =>
  `(${added} = 0 OR others.exposure = 0 OR others.exposure + ${added} <= CAST(${max} AS BIGINT))`

/**
 * Takes a free key within the limits, on SQLite. Parameters: the columns, payer, key, now, both limits, now, owner.
 * PostgreSQL's `till_claim` does the same; see `claimedAfter.ts`.
 */
const claimStatement = (placeholder: Placeholder): string => {
  const names = newChargeColumns.map(({ name }) => name)
  const given = names.map((_, index) => placeholder(index + 1))
  const exposure = `CAST(${given[names.indexOf("exposure")]!} AS BIGINT)`
  const replaced = names.filter((name) => name !== "key" && name !== "claimed_after")
  const next = names.length + 1
  return `
    INSERT INTO till_charges (${names.join(", ")})
    SELECT ${given.join(", ")} FROM ${othersOfPayer(placeholder, next)}
    WHERE ${isBelowCount(placeholder(next + 3))} AND ${isWithinExposure(exposure, placeholder(next + 4))}
    ON CONFLICT (key) DO UPDATE SET ${replaced.map((name) => `${name} = excluded.${name}`).join(", ")},
      attempts = 0, check_after = 0, response = NULL, response_expired_at = NULL, subject = NULL
    WHERE ${isFree(placeholder(next + 5), placeholder(next + 6))}
    RETURNING key`
}

/** Reads the charge that keeps a key from being free. Parameters: key, now, owner. */
const existingStatement = (placeholder: Placeholder): string => `
  SELECT ${chargeColumns} FROM till_charges
  WHERE key = ${placeholder(1)} AND NOT ${isFree(placeholder(2), placeholder(3))}`

/** Checks a new charge against each limit. Parameters: payer, key, now, both limits, exposure of the new charge. */
const limitsStatement = (placeholder: Placeholder): string => {
  const exposure = `CAST(${placeholder(6)} AS BIGINT)`
  return `
    SELECT CASE WHEN ${isBelowCount(placeholder(4))} THEN 1 ELSE 0 END AS below_count,
      CASE WHEN ${isWithinExposure(exposure, placeholder(5))} THEN 1 ELSE 0 END AS within_exposure
    FROM ${othersOfPayer(placeholder, 1)}`
}

interface LimitsRow {
  readonly below_count: number | string
  readonly within_exposure: number | string
}

/** The limit that a new charge would exceed together with the payer's others. */
const limitedBy = ({ below_count, within_exposure }: LimitsRow): Claim | undefined => {
  if (Number(below_count) === 0) return { _tag: "Limited", by: "charges" }
  return Number(within_exposure) === 0 ? { _tag: "Limited", by: "exposure" } : undefined
}

/** Exposures are BIGINTs, so no sum reaches a limit beyond this. */
const maxBigint = 2n ** 63n - 1n
const toBigint = (digits: string): string =>
  digits.length < 19 ? digits : String(BigInt(digits) > maxBigint ? maxBigint : digits)

interface NewClaim {
  readonly charge: NewCharge
  readonly lease: Lease
  readonly nowMillis: number
  readonly maxUnsettled: number
  readonly maxExposure: string
}

/** Takes a free key within the limits by one statement; returns no row if it took nothing. */
const takeMethod = (sql: SqlClient.SqlClient) => {
  // Every paid call runs this statement of many values, so its text is built once.
  const text = claimStatement((index) => `?${index}`)
  return ({ charge, lease, maxExposure, maxUnsettled, nowMillis }: NewClaim) =>
    sql.onDialectOrElse({
      pg: () => sql`
        SELECT 1 WHERE till_claim(CAST(${newChargeJson(charge, lease)} AS jsonb), ${maxUnsettled}, ${maxExposure},
          ${nowMillis}, ${nowMillis - expiredMarginMillis})`,
      orElse: () => {
        const others = [charge.payer, charge.key, nowMillis]
        const limits = [maxUnsettled, maxExposure]
        const values = newChargeValues(charge, lease)
        const taken = sql.unsafe(text, [...values, ...others, ...limits, nowMillis, lease.owner])
        // Money moves only after the next step of the charge, which is flushed.
        return Effect.provideService(taken, MayBeLost, true)
      }
    })
}

/**
 * `claim`: one statement decides and takes, so that of two concurrent claims one wins and no payer exceeds a limit. The
 * reason is looked up only if it took nothing.
 */
export const claimMethod = (sql: SqlClient.SqlClient): Charges["Service"]["claim"] => {
  const placeholder = sql.onDialectOrElse({
    pg: (): Placeholder => (index) => `$${index}`,
    orElse: (): Placeholder => (index) => `?${index}`
  })
  const take = takeMethod(sql)
  const existingText = existingStatement(placeholder)
  const limitsText = limitsStatement(placeholder)

  return (charge, lease, nowMillis, { maxExposureAtomic, maxUnsettled }) => {
    const { exposureAtomic, key, payer } = charge
    const maxExposure = toBigint(maxExposureAtomic)
    const decide = Effect.gen(function* (): Effect.fn.Return<Claim | undefined, SqlError.SqlError> {
      const taken = yield* take({ charge, lease, nowMillis, maxUnsettled, maxExposure })
      if (taken.length > 0) return { _tag: "Claimed" }
      const [existing] = yield* toCharges(sql.unsafe(existingText, [key, nowMillis, lease.owner]))
      if (existing !== undefined) return { _tag: "Existing", charge: existing }
      const limits = [payer, key, nowMillis, maxUnsettled, maxExposure, exposureAtomic]
      const [row] = yield* sql.unsafe<LimitsRow>(limitsText, limits)
      // Within the limits and free, yet not taken: something changed in between, so the claim is repeated.
      return limitedBy(row!)
    })
    return storing("charges.claim", untilDecided(decide))
  }
}
