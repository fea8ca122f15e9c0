import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Charge, Charges, Claim, Lease, NewCharge, RepeatRule } from "../../ports/Charges.ts"
import {
  claimStatement,
  isBelowCount,
  isFree,
  isWithinExposure,
  newChargeColumns,
  othersOfPayer,
  sameName,
  sameOrder
} from "../schema/claimStatement.ts"
import { chargeColumns, newChargeJson, newChargeValues, toCharges } from "./chargeRows.ts"
import { MayBeLost } from "./MayBeLost.ts"
import { storing, untilDecided } from "./statements.ts"

type Placeholder = (index: number) => string

const placeholders = (sql: SqlClient.SqlClient): Placeholder =>
  sql.onDialectOrElse({
    pg: (): Placeholder => (index) => `$${index}`,
    orElse: (): Placeholder => (index) => `?${index}`
  })

/**
 * Takes a free key within the limits, on SQLite. Parameters: the columns, now, both limits; of a charge that may repeat
 * another one also the repeat keys, since when, and its name.
 */
const sqliteClaim = (mayRepeat: boolean): string => {
  const after = (index: number): string => `?${newChargeColumns.length + index}`
  const limits = { now: after(1), maxUnsettled: after(2), maxExposure: after(3) }
  const repeats = mayRepeat
    ? {
        repeatKeys: `SELECT value FROM json_each(${after(4)})`,
        since: after(5),
        operation: after(6),
        paymentId: after(7)
      }
    : undefined
  return `${claimStatement((name) => `?${newChargeColumns.indexOf(name) + 1}`, limits, repeats)} RETURNING key`
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
    FROM ${othersOfPayer({ payer: placeholder(1), key: placeholder(2), now: placeholder(3) })}`
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

type Repeating = Pick<NewCharge, "key" | "payer">

/** Finds the charge that one of a payer and key would repeat, by the index of names, then by that of what is bought. */
const repeatedFinder = (sql: SqlClient.SqlClient) => {
  const at = placeholders(sql)
  const [payer, key] = [at(1), at(2)]
  const repeatKeys = sql.onDialectOrElse({
    pg: () => `SELECT jsonb_array_elements_text(CAST(${at(3)} AS jsonb))`,
    orElse: () => `SELECT value FROM json_each(${at(3)})`
  })
  const orderText = `SELECT ${chargeColumns} FROM ${sameOrder({ payer, key, repeatKeys, since: at(4) })}
    ORDER BY created_at + 0 DESC, key DESC LIMIT 1`
  const nameText = `SELECT ${chargeColumns} FROM ${sameName({ payer, key, operation: at(3), paymentId: at(4) })}
    ORDER BY created_at DESC, key DESC LIMIT 1`
  return Effect.fnUntraced(function* (
    charge: Repeating,
    rule: RepeatRule
  ): Effect.fn.Return<Charge | undefined, SqlError.SqlError> {
    const { named: name, repeatKeys, sinceMillis } = rule
    if (name !== undefined) {
      const values = [charge.payer, charge.key, name.operation, name.paymentId]
      const [named] = yield* toCharges(sql.unsafe(nameText, values))
      if (named !== undefined) return named
    }
    if (repeatKeys.length === 0) return undefined
    const values = [charge.payer, charge.key, JSON.stringify(repeatKeys), sinceMillis]
    const [same] = yield* toCharges(sql.unsafe(orderText, values))
    return same
  })
}

/** `findRepeated`, by the indexes of charges that guard repeats. */
export const findRepeatedMethod = (sql: SqlClient.SqlClient): Charges["Service"]["findRepeated"] => {
  const find = repeatedFinder(sql)
  return (charge, rule) => storing("charges.findRepeated", find(charge, rule))
}

interface NewClaim {
  readonly charge: NewCharge
  readonly lease: Lease
  readonly nowMillis: number
  readonly maxUnsettled: number
  readonly maxExposure: string
  readonly repeats: RepeatRule | undefined
}

const repeatValues = ({ named, repeatKeys, sinceMillis }: RepeatRule): ReadonlyArray<string | number> => [
  JSON.stringify(repeatKeys),
  sinceMillis,
  named?.operation ?? "",
  named?.paymentId ?? ""
]

/** Takes a free key within the limits by one statement; returns no row if it took nothing. */
const takeMethod = (sql: SqlClient.SqlClient) => {
  // Every paid call runs this statement of many values, so its texts are built once.
  const text = sqliteClaim(false)
  const guardedText = sqliteClaim(true)
  return ({ charge, lease, maxExposure, maxUnsettled, nowMillis, repeats }: NewClaim) =>
    sql.onDialectOrElse({
      pg: () => sql`
        SELECT 1 WHERE till_claim(CAST(${newChargeJson(charge, lease)} AS jsonb), ${maxUnsettled}, ${maxExposure},
          ${nowMillis}, CAST(${repeats === undefined ? null : JSON.stringify(repeats)} AS jsonb))`,
      orElse: () => {
        const values = [...newChargeValues(charge, lease), nowMillis, maxUnsettled, maxExposure]
        const taken =
          repeats === undefined
            ? sql.unsafe(text, values)
            : sql.unsafe(guardedText, [...values, ...repeatValues(repeats)])
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
  const placeholder = placeholders(sql)
  const take = takeMethod(sql)
  const findRepeated = repeatedFinder(sql)
  const existingText = existingStatement(placeholder)
  const limitsText = limitsStatement(placeholder)

  const decide = Effect.fnUntraced(function* (
    claim: NewClaim
  ): Effect.fn.Return<Claim | undefined, SqlError.SqlError> {
    const { charge, lease, maxExposure, maxUnsettled, nowMillis, repeats } = claim
    const { exposureAtomic, key, payer } = charge
    const taken = yield* take(claim)
    if (taken.length > 0) return { _tag: "Claimed" }
    const [existing] = yield* toCharges(sql.unsafe(existingText, [key, nowMillis, lease.owner]))
    if (existing !== undefined) return { _tag: "Existing", charge: existing }
    const first = repeats && (yield* findRepeated(charge, repeats))
    if (first !== undefined) return { _tag: "Repeated", first }
    const limits = [payer, key, nowMillis, maxUnsettled, maxExposure, exposureAtomic]
    const [row] = yield* sql.unsafe<LimitsRow>(limitsText, limits)
    // Within the limits and free, yet not taken: something changed in between, so the claim is repeated.
    return limitedBy(row!)
  })
  return (charge, lease, nowMillis, { maxExposureAtomic, maxUnsettled, repeats }) => {
    const maxExposure = toBigint(maxExposureAtomic)
    return storing(
      "charges.claim",
      untilDecided(decide({ charge, lease, nowMillis, maxUnsettled, maxExposure, repeats }))
    )
  }
}
