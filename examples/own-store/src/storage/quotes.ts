import type { Quote, QuoteStore } from "@till402/core"
import { type Database, json } from "./database.ts"

const maxAttempts = 100
const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "23505"

/** Quotes. A unique index allows one live quote per request, so no race can get around it. */
export const quoteStore = (sql: Database) => {
  const quoteColumns = sql`id, fingerprint, offer, created_at_millis, consumed_by`

  const findLive = async (fingerprint: string, nowMillis: number): Promise<Quote | undefined> => {
    const [quote] = await sql<Array<Quote>>`
      SELECT ${quoteColumns} FROM till.quotes
      WHERE fingerprint = ${fingerprint} AND consumed_by IS NULL AND expires_at_millis > ${nowMillis}`
    return quote
  }

  return {
    findLive,

    findConsumed: async (fingerprint, chargeKey, nowMillis) => {
      const [quote] = await sql<Array<Quote>>`
        SELECT ${quoteColumns} FROM till.quotes
        WHERE consumed_by = ${chargeKey} AND fingerprint = ${fingerprint} AND expires_at_millis > ${nowMillis}
        ORDER BY expires_at_millis DESC, id DESC LIMIT 1`
      return quote
    },

    put: async (quote, nowMillis) => {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const { count } = await sql`
          INSERT INTO till.quotes (id, fingerprint, offer, created_at_millis, expires_at_millis)
          VALUES (${quote.id}, ${quote.fingerprint}, ${json(sql, quote.offer)}, ${quote.createdAtMillis},
            ${quote.offer.expiresAtMillis})
          ON CONFLICT (fingerprint) WHERE consumed_by IS NULL DO UPDATE
          SET id = excluded.id, offer = excluded.offer, created_at_millis = excluded.created_at_millis,
            expires_at_millis = excluded.expires_at_millis
          WHERE quotes.expires_at_millis <= ${nowMillis}`
        if (count === 1) return quote
        const live = await findLive(quote.fingerprint, nowMillis)
        if (live !== undefined) return live
        // Consumed between the two statements: its place is free now.
      }
      throw new Error(`no place for a quote after ${maxAttempts} attempts`)
    },

    consume: async (id, chargeKey, nowMillis) => {
      const { count } = await sql`
        UPDATE till.quotes SET consumed_by = ${chargeKey}
        WHERE id = ${id} AND expires_at_millis > ${nowMillis}
          AND (consumed_by IS NULL OR consumed_by = ${chargeKey})`
      return count === 1
    },

    restore: async (chargeKey) => {
      try {
        // If the request has an unconsumed quote by now, that one stays; of several, the one that expires last.
        await sql`
          UPDATE till.quotes AS quote SET consumed_by = NULL
          WHERE consumed_by = ${chargeKey} AND id = (
            SELECT id FROM till.quotes AS rival
            WHERE rival.fingerprint = quote.fingerprint
              AND (rival.consumed_by IS NULL OR rival.consumed_by = ${chargeKey})
            ORDER BY rival.consumed_by IS NOT NULL, rival.expires_at_millis DESC, rival.id DESC
            LIMIT 1)`
      } catch (error) {
        // Another quote was inserted concurrently: it stays live, and this one stays consumed.
        if (!isUniqueViolation(error)) throw error
      }
    },

    expire: async (lapsedBeforeMillis, limit) => {
      const { count } = await sql`
        WITH lapsed AS MATERIALIZED (
          SELECT id FROM till.quotes WHERE expires_at_millis < ${lapsedBeforeMillis}
          ORDER BY expires_at_millis LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        DELETE FROM till.quotes
        WHERE expires_at_millis < ${lapsedBeforeMillis} AND id IN (SELECT id FROM lapsed)`
      return count
    },

    countUnderKey: async (keyId, nowMillis) => {
      const [row] = await sql<Array<{ readonly quotes: number }>>`
        SELECT count(*)::int AS quotes FROM till.quotes
        WHERE expires_at_millis > ${nowMillis} AND consumed_by IS NULL AND starts_with(fingerprint, ${`${keyId}:`})`
      return row!.quotes
    }
  } satisfies QuoteStore
}
