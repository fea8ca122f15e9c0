import { type Offer, type Quote, Quotes, StoreError } from "@till402/core/effect"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/*
 * A store as an Effect layer: quotes in a table of your own, on SQLite or PostgreSQL. Provide it beside the other stores:
 * Layer.merge(sqlite({ filename }), QuotesLive).
 */

interface Row {
  readonly id: string
  readonly fingerprint: string
  readonly offer: string
  readonly created_at: number | string
  readonly consumed_by: string | null
}

/** JSON has no bigint: the atomic units of an amount are text. */
const toJson = (offer: Offer): string =>
  JSON.stringify(offer, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))

const fromJson = (text: string): Offer =>
  JSON.parse(text, (key, value: unknown) => (key === "atomic" ? BigInt(String(value)) : value)) as Offer

const toQuote = (row: Row): Quote => ({
  id: row.id,
  fingerprint: row.fingerprint,
  offer: fromJson(row.offer),
  createdAtMillis: Number(row.created_at),
  consumedBy: row.consumed_by ?? undefined
})

/** A store fails with `StoreError` alone, also where a row can't be read. */
const storing = <A, E>(operation: string, effect: Effect.Effect<A, E>): Effect.Effect<A, StoreError> => {
  const failed = (cause: unknown) => Effect.fail(new StoreError({ operation: `quotes.${operation}`, cause }))
  return effect.pipe(Effect.catch(failed), Effect.catchDefect(failed))
}

const schema = [
  `CREATE TABLE IF NOT EXISTS shop_quotes (
    id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, offer TEXT NOT NULL,
    created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, consumed_by TEXT)`,
  // Decides between concurrent calls of `put`: a request has one quote that isn't consumed.
  `CREATE UNIQUE INDEX IF NOT EXISTS shop_quotes_live ON shop_quotes (fingerprint) WHERE consumed_by IS NULL`,
  "CREATE INDEX IF NOT EXISTS shop_quotes_consumed ON shop_quotes (consumed_by)",
  "CREATE INDEX IF NOT EXISTS shop_quotes_expires ON shop_quotes (expires_at)"
]

const make = (sql: SqlClient.SqlClient): Quotes["Service"] => {
  const findLive = (fingerprint: string, nowMillis: number) =>
    Effect.map(
      sql<Row>`SELECT * FROM shop_quotes
        WHERE fingerprint = ${fingerprint} AND consumed_by IS NULL AND expires_at > ${nowMillis}`,
      ([row]) => (row === undefined ? undefined : toQuote(row))
    )

  /** Inserts, or takes the place of an expired quote, in one statement; otherwise the live one is read. */
  const put = (quote: Quote, nowMillis: number, attempts = 100): Effect.Effect<Quote, unknown> =>
    Effect.gen(function* () {
      const row = {
        id: quote.id,
        fingerprint: quote.fingerprint,
        offer: toJson(quote.offer),
        created_at: quote.createdAtMillis,
        expires_at: quote.offer.expiresAtMillis
      }
      const written = yield* sql`INSERT INTO shop_quotes ${sql.insert(row)}
        ON CONFLICT (fingerprint) WHERE consumed_by IS NULL DO UPDATE SET
          id = excluded.id, offer = excluded.offer, created_at = excluded.created_at, expires_at = excluded.expires_at
        WHERE shop_quotes.expires_at <= ${nowMillis}
        RETURNING id`
      const live = written.length > 0 ? quote : yield* findLive(quote.fingerprint, nowMillis)
      if (live !== undefined) return live
      // The live quote was consumed in between, so that its place is free. Each round means that another call succeeded.
      return yield* attempts > 1
        ? put(quote, nowMillis, attempts - 1)
        : Effect.fail(new Error("undecided after 100 attempts"))
    })

  return {
    put: (quote, nowMillis) => storing("put", put(quote, nowMillis)),
    findLive: (fingerprint, nowMillis) => storing("findLive", findLive(fingerprint, nowMillis)),
    findConsumed: (fingerprint, chargeKey, nowMillis) =>
      storing(
        "findConsumed",
        Effect.map(
          sql<Row>`SELECT * FROM shop_quotes
            WHERE consumed_by = ${chargeKey} AND fingerprint = ${fingerprint} AND expires_at > ${nowMillis}
            ORDER BY expires_at DESC, id DESC LIMIT 1`,
          ([row]) => (row === undefined ? undefined : toQuote(row))
        )
      ),
    // The condition is part of the write: of two payments, one gets the quote.
    consume: (id, chargeKey, nowMillis) =>
      storing(
        "consume",
        Effect.map(
          sql`UPDATE shop_quotes SET consumed_by = ${chargeKey}
            WHERE id = ${id} AND expires_at > ${nowMillis} AND (consumed_by IS NULL OR consumed_by = ${chargeKey})
            RETURNING id`,
          ({ length }) => length > 0
        )
      ),
    restore: (chargeKey) =>
      storing(
        "restore",
        sql`UPDATE shop_quotes SET consumed_by = NULL
          WHERE consumed_by = ${chargeKey} AND id = (
            SELECT other.id FROM shop_quotes AS other
            WHERE other.fingerprint = shop_quotes.fingerprint
              AND (other.consumed_by IS NULL OR other.consumed_by = ${chargeKey})
            ORDER BY CASE WHEN other.consumed_by IS NULL THEN 0 ELSE 1 END, other.expires_at DESC, other.id DESC
            LIMIT 1)`.pipe(
          Effect.asVoid,
          // The request got another quote at this moment, which takes precedence.
          Effect.catchReason("SqlError", "UniqueViolation", () => Effect.void)
        )
      ),
    expire: (expiredBeforeMillis, limit) =>
      storing(
        "expire",
        Effect.map(
          sql`DELETE FROM shop_quotes WHERE id IN (
              SELECT id FROM shop_quotes WHERE expires_at < ${expiredBeforeMillis} ORDER BY expires_at LIMIT ${limit})
            AND expires_at < ${expiredBeforeMillis} RETURNING id`,
          ({ length }) => length
        )
      ),
    countUnderKey: (keyId, nowMillis) =>
      storing(
        "countUnderKey",
        Effect.map(
          sql<{ readonly count: number | string }>`SELECT COUNT(*) AS count FROM shop_quotes
            WHERE expires_at > ${nowMillis} AND consumed_by IS NULL
              AND SUBSTR(fingerprint, 1, ${keyId.length + 1}) = ${`${keyId}:`}`,
          ([row]) => Number(row?.count ?? 0)
        )
      )
  }
}

/** Creates the table when it is built. */
export const QuotesLive: Layer.Layer<Quotes, StoreError, SqlClient.SqlClient> = Layer.effect(
  Quotes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* storing(
      "open",
      Effect.forEach(schema, (text) => sql.unsafe(text), { discard: true })
    )
    return make(sql)
  })
)
