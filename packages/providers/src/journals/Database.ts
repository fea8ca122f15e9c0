/** A row by column name. */
export type Row = Readonly<Record<string, unknown>>

/**
 * The database of the journals. A statement takes numbered values (`$1`) and is its own transaction, on disk once it
 * resolves. It rejects within a bounded time, with an error that contains no password.
 */
export interface Database {
  readonly run: (text: string, values: ReadonlyArray<string | number>) => Promise<ReadonlyArray<Row>>
  /** Closes the connections; a second call waits for the first. Later statements reject. */
  readonly close: () => Promise<void>
}

/**
 * Creates the tables of the journals unless they exist. `bigint` fits milliseconds and chain ids in both dialects.
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
  `CREATE TABLE IF NOT EXISTS till_treasury_replacements (
    key text NOT NULL,
    position bigint NOT NULL,
    "transaction" text NOT NULL,
    signed_transaction text NOT NULL,
    PRIMARY KEY (key, position)
  )`,
  `CREATE TABLE IF NOT EXISTS till_placements (
    order_id text PRIMARY KEY,
    reference text NOT NULL,
    at_millis bigint NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS till_buyers (
    buyer text PRIMARY KEY
  )`,
  `CREATE TABLE IF NOT EXISTS till_settlements (
    "transaction" text PRIMARY KEY,
    key text NOT NULL,
    digest text NOT NULL,
    caller text NOT NULL,
    attempt bigint NOT NULL,
    replacement bigint NOT NULL,
    chain_id bigint NOT NULL,
    relayer text NOT NULL,
    nonce bigint NOT NULL,
    signed_transaction text NOT NULL,
    recorded_at_millis bigint NOT NULL,
    UNIQUE (key, attempt, replacement),
    UNIQUE (chain_id, relayer, nonce, replacement)
  )`,
  `CREATE TABLE IF NOT EXISTS till_solana_transfers (
    key text NOT NULL,
    position bigint NOT NULL,
    signature text NOT NULL,
    "transaction" text NOT NULL,
    last_valid_block_height bigint NOT NULL,
    signed_at_slot bigint NOT NULL,
    network text NOT NULL,
    payer text NOT NULL,
    payee text NOT NULL,
    mint text NOT NULL,
    amount_atomic text NOT NULL,
    caller text NOT NULL,
    PRIMARY KEY (key, position)
  )`
]

export const tableNames: ReadonlyArray<string> = [
  "till_treasury_payments",
  "till_treasury_replacements",
  "till_placements",
  "till_buyers",
  "till_settlements",
  "till_solana_transfers"
]

/** Runs work once, with the first call. If it fails, the next call retries. */
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
