/** A row by column name. */
export type Row = Readonly<Record<string, unknown>>

/**
 * What the journals ask of a database. A statement takes its values by number (`$1`), stands alone, and what it wrote
 * is on the disk once it resolves. It rejects within a bounded time, with an error that holds no password.
 */
export interface Database {
  readonly run: (text: string, values: ReadonlyArray<string | number>) => Promise<ReadonlyArray<Row>>
  /** Gives the connections up; a second call waits for the first. Statements reject from then on. */
  readonly close: () => Promise<void>
}

/**
 * The tables of the journals. Statements that are harmless where the tables are there; `bigint` keeps milliseconds and
 * numbers of chains in both dialects.
 */
export const tables: ReadonlyArray<string> = [
  `CREATE TABLE IF NOT EXISTS till_treasury_payments (
    key text PRIMARY KEY,
    reference text NOT NULL UNIQUE,
    chain_id bigint NOT NULL,
    payer text NOT NULL,
    nonce bigint NOT NULL,
    "transaction" text NOT NULL,
    signed_transaction text NOT NULL,
    expires_at_millis bigint NOT NULL,
    UNIQUE (chain_id, payer, nonce)
  )`,
  `CREATE TABLE IF NOT EXISTS till_placements (
    order_id text PRIMARY KEY,
    reference text NOT NULL,
    at_millis bigint NOT NULL
  )`
]

/** Work that is done once, when it is first asked for; where it fails, whoever asks next tries again. */
export const once = <A>(work: () => Promise<A>): (() => Promise<A>) => {
  let begun: Promise<A> | undefined
  return () => {
    begun ??= work().catch((error: unknown) => {
      begun = undefined
      throw error
    })
    return begun
  }
}
