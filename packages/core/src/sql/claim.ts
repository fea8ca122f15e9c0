import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Charge, Charges, Claim, Lease } from "../ports/Charges.ts"
import { findCharge, newChargeColumns, newChargeValues } from "./chargeRows.ts"
import { storing, untilDecided } from "./rows.ts"

type Placeholder = (index: number) => string

/** Charges of a payer that are at work or unknown, this one left out: payer, key and now as parameters. */
const unsettledCount = (placeholder: Placeholder, first: number): string => `
  (SELECT COUNT(*) FROM till_charges AS other
    WHERE other.payer = ${placeholder(first)} AND other.key <> ${placeholder(first + 1)}
      AND other.state IN ('claimed', 'ready')
      AND (other.state = 'ready' OR other.lease_until > ${placeholder(first + 2)}))`

/** Takes a key that is free, if its payer has room: the columns, payer, key, now, limit, now, owner as parameters. */
const claimStatement = (placeholder: Placeholder): string => {
  const names = newChargeColumns.map(({ name }) => name)
  const given = newChargeColumns.map(({ type }, index) => `CAST(${placeholder(index + 1)} AS ${type})`)
  const replaced = names.filter((name) => name !== "key" && name !== "first_claimed_at")
  const next = names.length + 1
  return `
    INSERT INTO till_charges (${names.join(", ")})
    SELECT ${given.join(", ")} WHERE ${unsettledCount(placeholder, next)} < ${placeholder(next + 3)}
    ON CONFLICT (key) DO UPDATE SET ${replaced.map((name) => `${name} = excluded.${name}`).join(", ")},
      attempts = 0, check_after = 0, answer = NULL, subject = NULL
    WHERE (till_charges.state = 'claimed' AND till_charges.lease_until <= ${placeholder(next + 4)})
      OR (till_charges.state = 'voided' AND till_charges.lease_owner = ${placeholder(next + 5)})
    RETURNING key`
}

const isFree = (existing: Charge, lease: Lease, nowMillis: number): boolean =>
  existing.state === "claimed"
    ? existing.leaseUntilMillis <= nowMillis
    : existing.state === "voided" && existing.leaseOwner === lease.owner

/**
 * The verb `claim`: one statement decides and takes, so that of two racers one wins, and one payer never
 * has more than allowed. What stood in its way is asked for only where it took nothing.
 */
export const claimVerb = (sql: SqlClient.SqlClient): Charges["Service"]["claim"] => {
  // The one statement of many values that every paid call runs: written once, not composed each time.
  const placeholder = sql.onDialectOrElse({
    pg: (): Placeholder => (index) => `$${index}`,
    orElse: (): Placeholder => (index) => `?${index}`
  })
  const claimText = claimStatement(placeholder)
  const countText = `SELECT ${unsettledCount(placeholder, 1)} AS count`

  /**
   * SQLite has one writer at a time. On PostgreSQL claims of one payer stand in line, or two could each
   * count without the other and both take the last place.
   *
   * There a claim does not wait for the disk either: nothing has moved yet, and the next verb of its charge
   * does wait, for all that was written before it. A server that fails in between has forgotten a claim
   * of which nothing came, and its owner's next verb answers `false`.
   */
  const inLine = <A, E>(payer: string, claim: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError.SqlError> =>
    sql.onDialectOrElse({
      pg: () => {
        const turn = sql`
          SELECT set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(402, hashtext(${payer}))`
        return sql.withTransaction(Effect.andThen(turn, claim))
      },
      orElse: () => claim
    })

  return (charge, lease, nowMillis, maxUnsettled) => {
    const { key, payer } = charge
    const counted = [payer, key, nowMillis]
    const values = newChargeValues(charge, lease)
    const take = sql.unsafe(claimText, [...values, ...counted, maxUnsettled, nowMillis, lease.owner])
    const decide = Effect.gen(function* (): Effect.fn.Return<Claim | undefined, SqlError.SqlError> {
      if ((yield* take).length > 0) return { _tag: "Claimed" }
      const existing = yield* findCharge(sql, key)
      if (existing !== undefined && !isFree(existing, lease, nowMillis))
        return { _tag: "Existing", charge: existing }
      const [row] = yield* sql.unsafe<{ readonly count: number | string }>(countText, counted)
      // Below the limit and free, yet not taken: something changed in between, so it is asked for again.
      return Number(row!.count) >= maxUnsettled ? { _tag: "Limited" } : undefined
    })
    return storing("charges.claim", inLine(payer, untilDecided(decide)))
  }
}
