import { readFile } from "node:fs/promises"
import postgres from "postgres"

/*
 * The one place that knows how values travel. With it a row is a record: `select * from till.charges` gives charges.
 */

const types = {
  // Milliseconds and counts, far below 2^53: numbers rather than the client's default, text.
  count: { to: 20, from: [20], serialize: String, parse: Number },
  // Money is a bigint of atomic units, which JSON does not have: in an offer it is written as digits.
  json: {
    to: 114,
    from: [114],
    serialize: (value: unknown) =>
      JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part)),
    parse: (text: string): unknown =>
      JSON.parse(text, (name, part: unknown) => (name === "atomic" ? BigInt(part as string) : part))
  }
}

/** Connects on the first statement. A verb has 5 seconds; a statement that takes longer than 4 is undone by then. */
export const connect = (url: string, connections = 10) =>
  postgres(url, {
    max: connections,
    connect_timeout: 4,
    connection: {
      application_name: "till",
      statement_timeout: 4_000,
      // What the verbs are written for: each statement sees all that was committed before it.
      default_transaction_isolation: "read committed"
    },
    types,
    transform: {
      // lease_until_millis ⇄ leaseUntilMillis; a missing value is NULL here and undefined there.
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
export const json = (sql: Database, value: object | undefined) =>
  value === undefined ? null : sql.typed.json(value)

/** Brings the schema up to date. Processes that start at once wait for each other. */
export const migrate = async (sql: Database): Promise<void> => {
  const schema = await readFile(new URL("schema.sql", import.meta.url), "utf8")
  await sql.begin(async (sql) => {
    await sql`SELECT pg_advisory_xact_lock(hashtext('till.schema'), 0)`
    await sql.unsafe(schema)
  })
}
