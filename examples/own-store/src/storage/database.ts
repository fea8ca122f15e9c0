import { readFile } from "node:fs/promises"
import postgres from "postgres"

/*
 * The only file that converts values. With it, rows are records: `select * from till.charges` returns charges.
 */

const types = {
  // Milliseconds and counts are far below 2^53: numbers instead of the client's default, text.
  count: { to: 20, from: [20], serialize: String, parse: Number },
  // Money is a bigint of atomic units, which JSON lacks: an offer contains it as digits.
  json: {
    to: 114,
    from: [114],
    serialize: (value: unknown) =>
      JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part)),
    parse: (text: string): unknown =>
      JSON.parse(text, (name, part: unknown) => (name === "atomic" ? BigInt(part as string) : part))
  }
}

export interface ConnectOptions {
  readonly connections?: number
  /** Of connecting, and of each statement: 4 seconds, so that both end before the till's 5 seconds for a function. */
  readonly timeoutMillis?: number
}

/** Connects with the first statement. */
export const connect = (url: string, { connections = 10, timeoutMillis = 4_000 }: ConnectOptions = {}) =>
  postgres(url, {
    max: connections,
    connect_timeout: timeoutMillis / 1_000,
    connection: {
      application_name: "till",
      statement_timeout: timeoutMillis,
      // The functions rely on this level: each statement sees everything committed before it started.
      default_transaction_isolation: "read committed"
    },
    types,
    transform: {
      // lease_until_millis ⇄ leaseUntilMillis; a missing value is NULL in the database and undefined in records.
      column: { from: postgres.toCamel, to: postgres.fromCamel },
      value: { from: (value: unknown) => value ?? undefined },
      undefined: null
    },
    onnotice: () => undefined
  })

export type Database = ReturnType<typeof connect>
/** A database within one transaction. */
export type Transaction = Parameters<Parameters<Database["begin"]>[1]>[0]

/** A value for a JSON column. */
export const json = (sql: Database | Transaction, value: object | undefined) =>
  value === undefined ? null : sql.typed.json(value)

/** Migrates the schema. Processes that start at the same time wait for each other. */
export const migrate = async (sql: Database): Promise<void> => {
  const schema = await readFile(new URL("schema.sql", import.meta.url), "utf8")
  await sql.begin(async (sql) => {
    await sql`SELECT pg_advisory_xact_lock(hashtext('till.schema'), 0)`
    await sql.unsafe(schema)
  })
}

/** The database's time: processes on several machines measure leases by it. */
export const now = async (sql: Database): Promise<number> => {
  const [row] = await sql<
    Array<{ millis: string }>
  >`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS millis`
  return Number(row?.millis)
}
