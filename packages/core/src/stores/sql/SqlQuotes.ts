import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Quote, Quotes } from "../../shop/ports/Quotes.ts"
import { fromOffer, toOffer } from "./offerRows.ts"
import { type CountRow, countOf, isUnderKey, skippingLocked, storing, untilDecided } from "./statements.ts"

interface Row {
  readonly id: string
  readonly fingerprint: string
  readonly offer: string
  readonly created_at: number | string
  readonly consumed_by: string | null
}

const toQuote = (row: Row): Quote => ({
  id: row.id,
  fingerprint: row.fingerprint,
  offer: toOffer(JSON.parse(row.offer)),
  createdAtMillis: Number(row.created_at),
  consumedBy: row.consumed_by ?? undefined
})

const findLive = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  fingerprint: string,
  nowMillis: number
) {
  const rows = yield* sql<Row>`SELECT * FROM till_quotes
    WHERE fingerprint = ${fingerprint} AND consumed_by IS NULL AND expires_at > ${nowMillis}`
  return rows[0] === undefined ? undefined : toQuote(rows[0])
})

/** Inserts a quote, and returns it; returns the live one of its request, if there is one. */
const insertUnlessLive = (sql: SqlClient.SqlClient, quote: Quote, nowMillis: number) => {
  const row = {
    id: quote.id,
    fingerprint: quote.fingerprint,
    offer: JSON.stringify(fromOffer(quote.offer)),
    created_at: quote.createdAtMillis,
    expires_at: quote.offer.expiresAtMillis
  }
  const put = sql`
    INSERT INTO till_quotes ${sql.insert(row)}
    ON CONFLICT (fingerprint) WHERE consumed_by IS NULL DO UPDATE SET
      id = excluded.id,
      offer = excluded.offer,
      created_at = excluded.created_at,
      expires_at = excluded.expires_at
    WHERE till_quotes.expires_at <= ${nowMillis}
    RETURNING id`
  // Neither inserted nor found: the live quote was consumed in between, so its place is free.
  return untilDecided(
    Effect.flatMap(put, ({ length }) =>
      length > 0 ? Effect.succeed(quote) : findLive(sql, quote.fingerprint, nowMillis)
    )
  )
}

/** Quotes in a database. A unique index allows one unconsumed quote per request. */
export const layer: Layer.Layer<Quotes, never, SqlClient.SqlClient> = Layer.effect(
  Quotes,
  Effect.map(SqlClient.SqlClient, (sql) => {
    return Quotes.of({
      put: (quote, nowMillis) => storing("quotes.put", insertUnlessLive(sql, quote, nowMillis)),
      findLive: (fingerprint, nowMillis) => storing("quotes.findLive", findLive(sql, fingerprint, nowMillis)),
      findConsumed: (fingerprint, chargeKey, nowMillis) =>
        storing(
          "quotes.findConsumed",
          Effect.map(
            sql<Row>`SELECT * FROM till_quotes WHERE consumed_by = ${chargeKey}
              AND fingerprint = ${fingerprint} AND expires_at > ${nowMillis}
              ORDER BY expires_at DESC, id DESC LIMIT 1`,
            ([row]) => (row === undefined ? undefined : toQuote(row))
          )
        ),
      consume: (id, chargeKey, nowMillis) =>
        storing(
          "quotes.consume",
          Effect.map(
            sql`UPDATE till_quotes SET consumed_by = ${chargeKey} WHERE id = ${id} AND expires_at > ${nowMillis}
              AND (consumed_by IS NULL OR consumed_by = ${chargeKey}) RETURNING id`,
            ({ length }) => length > 0
          )
        ),
      restore: (chargeKey) =>
        storing(
          "quotes.restore",
          // A newer quote of the request takes precedence; of several consumed ones the one that expires last is
          // restored.
          sql`UPDATE till_quotes SET consumed_by = NULL WHERE consumed_by = ${chargeKey}
            AND id = (SELECT other.id FROM till_quotes AS other
              WHERE other.fingerprint = till_quotes.fingerprint
                AND (other.consumed_by IS NULL OR other.consumed_by = ${chargeKey})
              ORDER BY CASE WHEN other.consumed_by IS NULL THEN 0 ELSE 1 END, other.expires_at DESC, other.id DESC
              LIMIT 1)`.pipe(
            Effect.asVoid,
            // A newer quote was inserted concurrently.
            Effect.catchReason("SqlError", "UniqueViolation", () => Effect.void)
          )
        ),
      expire: (lapsedBeforeMillis, limit) =>
        storing(
          "quotes.expire",
          Effect.map(
            // As for orders: selected first, and once.
            sql`
              WITH lapsed AS MATERIALIZED (
                SELECT id FROM till_quotes WHERE expires_at < ${lapsedBeforeMillis}
                ORDER BY expires_at LIMIT ${limit} ${skippingLocked(sql)})
              DELETE FROM till_quotes
              WHERE expires_at < ${lapsedBeforeMillis} AND id IN (SELECT id FROM lapsed) RETURNING id`,
            ({ length }) => length
          )
        ),
      countUnderKey: (keyId, nowMillis) =>
        storing(
          "quotes.countUnderKey",
          countOf(sql<CountRow>`
            SELECT COUNT(*) AS count FROM till_quotes
            WHERE expires_at > ${nowMillis} AND consumed_by IS NULL AND ${isUnderKey(sql, keyId)}`)
        )
    })
  })
)
