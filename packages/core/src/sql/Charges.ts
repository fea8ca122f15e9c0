import { Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Charge, Charges, type ChargeState, type Claim, type NewCharge } from "../ports/Charges.ts"
import { storing, untilDecided } from "./rows.ts"

interface Row {
  readonly state: ChargeState
  readonly lease_owner: string
  readonly lease_until: number | string
  readonly settled_at: number | string | null
  readonly document: string
  readonly settlement: string | null
  readonly answer: string | null
  readonly subject: string | null
  readonly receipt: string | null
}

const parse = <A>(text: string | null): A | undefined => (text === null ? undefined : (JSON.parse(text) as A))

const toCharge = (row: Row): Charge => ({
  ...(JSON.parse(row.document) as Omit<NewCharge, "settlement">),
  settlement: row.settlement ?? "",
  state: row.state,
  leaseOwner: row.lease_owner,
  leaseUntilMillis: Number(row.lease_until),
  answer: parse(row.answer),
  subject: parse(row.subject),
  receipt: parse(row.receipt),
  settledAtMillis: row.settled_at === null ? undefined : Number(row.settled_at)
})

/** Charges in a database. Every verb is one conditional statement, so the database decides each race. */
export const layer: Layer.Layer<Charges, never, SqlClient.SqlClient> = Layer.effect(
  Charges,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const find = Effect.fnUntraced(function* (key: string) {
      const rows = yield* sql<Row>`SELECT * FROM till_charges WHERE key = ${key}`
      return rows[0] === undefined ? undefined : toCharge(rows[0])
    })
    const some = <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>) =>
      Effect.map(rows, ({ length }) => length > 0)
    return Charges.of({
      find: (key) => storing("charges.find", find(key)),
      claim: (charge, lease, nowMillis) =>
        storing(
          "charges.claim",
          Effect.gen(function* () {
            const { settlement, ...document } = charge
            const row = {
              key: charge.key,
              state: "claimed",
              lease_owner: lease.owner,
              lease_until: lease.untilMillis,
              valid_before: charge.validBeforeSeconds,
              created_at: charge.createdAtMillis,
              document: JSON.stringify(document),
              settlement
            }
            const claimed = sql`
              INSERT INTO till_charges ${sql.insert(row)}
              ON CONFLICT (key) DO UPDATE SET
                lease_owner = excluded.lease_owner,
                lease_until = excluded.lease_until,
                valid_before = excluded.valid_before,
                created_at = excluded.created_at,
                document = excluded.document,
                settlement = excluded.settlement
              WHERE till_charges.state = 'claimed' AND till_charges.lease_until <= ${nowMillis}
              RETURNING key`
            return yield* untilDecided(
              Effect.gen(function* (): Effect.fn.Return<Claim | undefined, SqlError.SqlError> {
                if ((yield* claimed).length > 0) return { _tag: "Claimed" }
                const existing = yield* find(charge.key)
                // Released between the two statements: the key is free, so it is asked for again.
                return existing && { _tag: "Existing", charge: existing }
              })
            )
          })
        ),
      advance: (key, owner, { answer, subject }) =>
        storing(
          "charges.advance",
          some(sql`
            UPDATE till_charges SET state = 'ready', answer = ${JSON.stringify(answer)},
              subject = ${subject === undefined ? null : JSON.stringify(subject)}
            WHERE key = ${key} AND state = 'claimed' AND lease_owner = ${owner} RETURNING key`)
        ),
      complete: (key, receipt, nowMillis) =>
        storing(
          "charges.complete",
          some(sql`
            UPDATE till_charges SET state = 'settled', settlement = NULL, receipt = ${JSON.stringify(receipt)}, settled_at = ${nowMillis}
            WHERE key = ${key} AND state = 'ready' RETURNING key`)
        ),
      release: (key, owner) =>
        storing(
          "charges.release",
          some(sql`
            DELETE FROM till_charges
            WHERE key = ${key} AND state IN ('claimed', 'ready') AND lease_owner = ${owner} RETURNING key`)
        ),
      takeOver: (key, lease, nowMillis) =>
        storing(
          "charges.takeOver",
          some(sql`
            UPDATE till_charges SET lease_owner = ${lease.owner}, lease_until = ${lease.untilMillis}
            WHERE key = ${key} AND state = 'ready' AND lease_until <= ${nowMillis} RETURNING key`)
        ),
      yieldLease: (key, owner) =>
        storing(
          "charges.yieldLease",
          Effect.asVoid(
            sql`UPDATE till_charges SET lease_until = 0 WHERE key = ${key} AND lease_owner = ${owner}`
          )
        ),
      unfinished: (nowMillis, limit) =>
        storing(
          "charges.unfinished",
          Effect.map(
            sql<Row>`SELECT * FROM till_charges WHERE state = 'ready' AND lease_until <= ${nowMillis}
              ORDER BY created_at, key LIMIT ${limit}`,
            (rows) => rows.map(toCharge)
          )
        ),
      list: ({ limit }) =>
        storing(
          "charges.list",
          Effect.map(
            sql<Row>`SELECT * FROM till_charges ORDER BY created_at DESC, key DESC LIMIT ${limit}`,
            (rows) => rows.map(toCharge)
          )
        ),
      expire: (beforeMillis) =>
        storing(
          "charges.expire",
          sql.withTransaction(
            Effect.gen(function* () {
              const dead = yield* sql`DELETE FROM till_charges WHERE created_at < ${beforeMillis}
                AND state = 'claimed' AND lease_until < ${beforeMillis}
                AND valid_before * 1000 < ${beforeMillis} RETURNING key`
              const emptied = yield* sql`UPDATE till_charges SET answer = NULL WHERE state = 'settled'
                AND settled_at < ${beforeMillis} AND answer IS NOT NULL RETURNING key`
              return dead.length + emptied.length
            })
          )
        )
    })
  })
)
