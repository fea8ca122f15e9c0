import { execFile } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, createServer, type Server } from "node:net"
import { inspect, promisify } from "node:util"
import { type Postgres, sharedPostgres, startPostgres } from "@till402/test-postgres"
import { Effect, Redacted } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { ConfigurationError, StoreError } from "../src/domain/Errors.ts"
import { Charges } from "../src/ports/Charges.ts"
import { StorageRisks } from "../src/ports/StorageMarks.ts"
import { addressOf } from "../src/stores/sql/postgresSocket.ts"
import { postgres, postgresClient, type PostgresOptions } from "../src/postgres.ts"
import { Till } from "../src/till/PlainTill.ts"
import { claimOf } from "./stores/sql/claimOf.ts"
import { rehearsing } from "./stores/sql/rehearsing.ts"

let cluster: Omit<Postgres, "stop">
beforeAll(async () => {
  cluster = await sharedPostgres()
})

const failureOf = (options: PostgresOptions) =>
  Effect.runPromise(Effect.flip(Effect.provide(Charges, postgres(options))))

/** A server that takes a connection and never responds. */
const silent = async (): Promise<{ server: Server; port: number }> => {
  const server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return { server, port: (server.address() as AddressInfo).port }
}

describe("an address", () => {
  it.each([
    ["postgres://till@db.example/till", "db.example", 5432],
    ["postgresql://db.example:5433/till", "db.example", 5433],
    ["postgres:///till", "localhost", 5432],
    ["postgres://[::1]:5433/till", "::1", 5433],
    ["postgres://%2Frun%2Fpostgresql/till", "/run/postgresql", 5432],
    ["postgres://elsewhere/till?host=db.example&port=5433", "db.example", 5433]
  ])("is read as libpq reads it: %s", (url, host, port) => {
    expect(addressOf(new URL(url))).toEqual({ host, port })
  })

  it("serves where TLS is preferred and the server has none", async () => {
    const url = `${await cluster.createDatabase()}?sslmode=prefer`
    const wrapped = Redacted.make(url)
    expect(await Effect.runPromise(Effect.provide(claimOf("key"), postgres({ url: wrapped })))).toEqual({
      _tag: "Claimed"
    })
  })
})

describe("a database that can't store every letter", () => {
  const encoded = async (encoding: string): Promise<string> => {
    const name = `encoded_${encoding.toLowerCase()}_${Date.now()}`
    await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(
          postgresClient({ url: cluster.url }),
          (sql) =>
            sql`CREATE DATABASE ${sql(name)} ENCODING ${sql.literal(`'${encoding}'`)} LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`
        )
      )
    )
    return cluster.url.replace(/postgres$/, name)
  }

  it("is refused before a buyer's name needs one", async () => {
    const stores = postgres({ url: await encoded("LATIN1") })
    const error = await Effect.runPromise(Effect.flip(Effect.provide(rehearsing(), stores)))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).toMatch(/a sale was rehearsed.* has no equivalent in encoding "LATIN1"/)
  })

  it("one that stores bytes as they are is taken", async () => {
    const url = await encoded("SQL_ASCII")
    expect(await Effect.runPromise(Effect.provide(claimOf("key"), postgres({ url })))).toEqual({
      _tag: "Claimed"
    })
  })
})

describe("a database that can't be written to", () => {
  const readOnly = async (): Promise<string> =>
    `${await cluster.createDatabase()}?options=${encodeURIComponent("-c default_transaction_read_only=on")}`

  it("is refused before a payment can't be recorded", async () => {
    const error = await failureOf({ url: await readOnly() })
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).toMatch(/ is read-only, .* Give the url of the primary, and a role that may write$/)
  })

  it("can be read where nothing is written", async () => {
    const url = await cluster.createDatabase()
    await Effect.runPromise(Effect.provide(claimOf("key"), postgres({ url })))
    const standby = `${url}?options=${encodeURIComponent("-c default_transaction_read_only=on")}`
    const books = Till.books({ storage: postgres({ url: standby }) })
    expect(await books.charges.list()).toHaveLength(1)
    await books.dispose()
  })
})

describe("a database whose transactions don't see what others have written", () => {
  const isolating = async (level: string): Promise<string> =>
    `${await cluster.createDatabase()}?options=${encodeURIComponent(`-c default_transaction_isolation=${level.replace(" ", "\\ ")}`)}`

  it.each(["repeatable read", "serializable"])(
    "is refused before payers exceed their limits: %s",
    async (level) => {
      const error = await failureOf({ url: await isolating(level) })
      expect(error).toBeInstanceOf(ConfigurationError)
      expect(error.message).toMatch(
        new RegExp(
          `isolates transactions as ${level}, .* default_transaction_isolation: set it to 'read committed'`
        )
      )
    }
  )

  it("is one that PostgreSQL isolates as it does by default", async () => {
    const url = await isolating("read committed")
    expect(await Effect.runPromise(Effect.provide(claimOf("key"), postgres({ url })))).toEqual({
      _tag: "Claimed"
    })
  })
})

describe("a database that confirms what a crash takes back", () => {
  /** Another client changes it; the test's cluster itself waits for no disk. */
  const setting = (settings: string) => `options=${encodeURIComponent(settings)}`
  const risksOf = (url: string) =>
    Effect.runPromise(Effect.provide(StorageRisks, postgres({ url }))).then((risks) =>
      risks.map(({ problem }) => problem)
    )

  it("is known by its setting, and by tables without a log", async () => {
    const url = await cluster.createDatabase()
    const late = `${url}?${setting("-c synchronous_commit=off")}`
    expect(await risksOf(late)).toEqual([
      "PostgreSQL has synchronous_commit = off: if it crashes, it forgets payments that have settled"
    ])
    await cluster.execute(url, [
      "ALTER TABLE till_orders SET UNLOGGED",
      "ALTER TABLE till_charges SET UNLOGGED"
    ])
    expect((await risksOf(late)).slice(1)).toEqual([
      "till_charges, till_orders are unlogged tables: if PostgreSQL crashes, they are empty"
    ])
  })

  it("isn't one that writes first", async () => {
    const durable = await startPostgres({ durable: true })
    try {
      expect(await risksOf(await durable.createDatabase())).toEqual([])
    } finally {
      await durable.stop()
    }
  })
})

describe("parameters of another client's address", () => {
  it("are refused where they would be ignored: another schema, and encryption", async () => {
    const url = await cluster.createDatabase()
    const schema = await failureOf({ url: `${url}?schema=shop` })
    expect(schema).toBeInstanceOf(ConfigurationError)
    expect(schema.message).toMatch(
      /would have the tables in the schema public: schema=shop .*search_path%3Dshop in its place$/
    )
    const ssl = await failureOf({ url: `${url}?ssl=true` })
    expect(ssl).toBeInstanceOf(ConfigurationError)
    expect(ssl.message).toMatch(/url has ssl, which would encrypt nothing: give sslmode=require/)
  })

  it("are taken where they change nothing, and where others are there for the same", async () => {
    const url = await cluster.createDatabase()
    await cluster.execute(url, ["CREATE SCHEMA shop"])
    const search = `options=${encodeURIComponent("-c search_path=shop")}`
    const taken = [
      "schema=public",
      "ssl=false",
      `schema=shop&${search}`,
      "pgbouncer=true&connection_limit=5",
      "ssl=true&sslmode=prefer"
    ]
    for (const parameters of taken)
      expect(
        await Effect.runPromise(
          Effect.provide(claimOf(parameters), postgres({ url: `${url}?${parameters}` }))
        )
      ).toEqual({
        _tag: "Claimed"
      })
  })
})

describe("a pooler", () => {
  it("that takes no statement_timeout is refused, with its setting", async () => {
    const words = "unsupported startup parameter: statement_timeout"
    const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${words}\0\0`)
    const head = Buffer.from([0x45, 0, 0, 0, fields.length + 4])
    const pooler = createServer((socket) => {
      socket.on("error", () => undefined)
      socket.once("data", () => socket.end(Buffer.concat([head, fields])))
    })
    pooler.listen(0, "127.0.0.1")
    await once(pooler, "listening")
    const { port } = pooler.address() as AddressInfo
    const error = await failureOf({ url: `postgres://till@127.0.0.1:${port}/till` })
    pooler.close()
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).toContain(
      `${words}. Set ignore_startup_parameters = statement_timeout in PgBouncer`
    )
  })
})

describe("an address that is wrong", () => {
  const secret = "secret-word"
  it.each([
    ["no PostgreSQL", () => `mysql://till:${secret}@localhost/till`, /url must be postgres:/],
    ["no address", () => `till:${secret}`, /url must be postgres:/],
    [
      "a password with a #",
      () => `postgres://till:${secret}#@localhost/till`,
      /# and \/ of user and password percent-encoded/
    ],
    ["a broken host", () => `postgres://till:${secret}@%zz/till`, /url must be postgres:/],
    [
      "a wrong password",
      () => cluster.url.replace(":password@", `:${secret}@`),
      /127.0.0.1:\d+\/postgres can't be used: password authentication failed for user "postgres"/
    ],
    [
      "a database that does not exist",
      () => cluster.url.replace(/postgres$/, "nothing"),
      /\/nothing can't be used: database "nothing" does not exist/
    ]
  ])("is refused in readable words: %s", async (_, url, words) => {
    const error = await failureOf({ url: url() })
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).toMatch(words)
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(secret)
  })

  it.each([
    [
      "where nobody listens",
      `postgres://till:${secret}@127.0.0.1:1/till`,
      /connecting to 127.0.0.1:1\/till \(connect ECONNREFUSED 127.0.0.1:1\)/
    ],
    ["an unknown sslmode", `postgres://till:${secret}@localhost/till?sslmode=none`, /\(.*sslmode.*"none"\)/]
  ])("is why it can't be reached, in readable words: %s", async (_, url, words) => {
    const error = await failureOf({ url })
    expect(error).toBeInstanceOf(StoreError)
    expect(error.message).toMatch(words)
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(secret)
  })

  it("gives up on a server that doesn't respond", async () => {
    const { port, server } = await silent()
    const error = await failureOf({
      url: `postgres://till@127.0.0.1:${port}/till`,
      connectTimeoutMillis: 200
    })
    server.close()
    expect(error).toBeInstanceOf(StoreError)
    expect(error.message).toMatch(/timed out/)
  })

  it("names every option that is out of bounds", async () => {
    const error = await failureOf({ url: cluster.url, maxConnections: 0, statementTimeoutMillis: 0.5 })
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).toMatch(/maxConnections must .* 1000; statementTimeoutMillis must .* 30000/)
  })

  it("names an option that is misspelled, without its value", async () => {
    const error = await failureOf({ url: cluster.url, maxConections: 1, password: "9f3c" } as never)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).toBe(
      "storage: postgres has no maxConections: did you mean maxConnections?; postgres has no password; it has url, maxConnections, connectTimeoutMillis, statementTimeoutMillis"
    )
  })

  it("reports that the peer is missing", async () => {
    const script = `
      import { registerHooks } from "node:module"
      registerHooks({
        resolve: (name, context, next) => next(name === "@effect/sql-pg" ? "not-installed" : name, context)
      })
      const { Effect } = await import("effect")
      const { postgres } = await import("@till402/core/postgres")
      const { Charges } = await import("@till402/core/effect")
      const opening = Effect.provide(Charges, postgres({ url: "postgres://localhost/till" }))
      const error = await Effect.runPromise(Effect.flip(opening))
      console.log(error._tag + ": " + error.message)`
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        "--conditions=@till402/source",
        "--disable-warning=ExperimentalWarning",
        "--input-type=module",
        "-e",
        script
      ],
      { cwd: import.meta.dirname, timeout: 120_000 }
    )
    expect(stdout.trim()).toBe(
      "ConfigurationError: storage: postgres() needs the package @effect/sql-pg: install it with npm install @effect/sql-pg"
    )
  })
})
