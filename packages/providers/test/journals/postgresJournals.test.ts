import { PgClient } from "@effect/sql-pg"
import { createServer, type Server, type Socket } from "node:net"
import { type OpenJournals, postgresJournals } from "@till402/providers/journals"
import { type Postgres, sharedPostgres } from "@till402/test-postgres"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { journalCases } from "./contract.ts"
import { settlement, settlementCases } from "./settlementCases.ts"

let cluster: Omit<Postgres, "stop">
let shared: string
let schemas = 0
/** A place for the tables of one test: a schema of a database that they share, which is cheaper than a database each. */
const newPlace = async (): Promise<string> => {
  const schema = `place_${++schemas}`
  await cluster.execute(shared, [`CREATE SCHEMA ${schema}`])
  return `${shared}?options=${encodeURIComponent(`-c search_path=${schema}`)}`
}
const opened: Array<OpenJournals> = []
const open = (url: string): OpenJournals => {
  const journals = postgresJournals(url)
  opened.push(journals)
  return journals
}
beforeAll(async () => {
  cluster = await sharedPostgres()
  shared = await cluster.createDatabase()
})
afterEach(() => Promise.all(opened.splice(0).map((journals) => journals.close())))

const failureOf = async (call: Promise<unknown>): Promise<{ _tag: string; [field: string]: unknown }> =>
  call.then(
    () => assert.fail("the call should have failed"),
    (error: unknown) => error as { _tag: string }
  )

describe("postgresJournals()", () => {
  it.each(journalCases)("$name", async ({ run }) => {
    const url = await newPlace()
    await run(open(url), open(url))
  })

  it.each(settlementCases)("$name", async ({ run }) => {
    const url = await newPlace()
    await run(open(url).settlements, open(url).settlements)
  })

  it("keeps everything over a restart", async () => {
    const url = await cluster.createDatabase()
    const before = open(url)
    await before.placements.record("order-1", { reference: "ci_1", atMillis: 5 })
    const settled = settlement()
    await before.settlements.insert(settled)
    await before.close()
    const after = open(url)
    assert.deepStrictEqual(await after.placements.find("order-1"), { reference: "ci_1", atMillis: 5 })
    assert.deepStrictEqual(await after.settlements.find(settled.key), [settled])
    assert.deepStrictEqual(await after.settlements.insert({ ...settled, nonce: 8 }), settled)
  })

  it("creates its tables once, even if several processes start together", async () => {
    const url = await cluster.createDatabase()
    const found = await Promise.all(Array.from({ length: 8 }, () => open(url).placements.find("order-1")))
    assert.deepStrictEqual(new Set(found), new Set([undefined]))
  })

  it("needs no right to create tables where they exist", async () => {
    const url = await cluster.createDatabase()
    await open(url).placements.find("order-1")
    const asOwner = PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
    const granting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.forEach(
        [
          "CREATE ROLE journal_writer LOGIN PASSWORD 'password'",
          "GRANT SELECT, INSERT, UPDATE ON till_placements, till_buyers, till_settlements, till_solana_transfers TO journal_writer",
          "GRANT SELECT ON till_journal_migrations TO journal_writer"
        ],
        (text) => sql.unsafe(text)
      )
    )
    await Effect.runPromise(Effect.provide(granting, asOwner))
    const { placements, settlements } = open(url.replace("//postgres:", "//journal_writer:"))
    const settled = settlement()
    assert.isUndefined(await settlements.insert(settled))
    await placements.record("order-1", { reference: "ci_1", atMillis: 1 })
    await placements.record("order-1", { reference: "ci_2", atMillis: 2 })
    assert.deepStrictEqual(await settlements.find(settled.key), [settled])
    assert.deepStrictEqual(await placements.find("order-1"), { reference: "ci_2", atMillis: 2 })
  })

  describe("of a role that may not create tables", () => {
    const tables = "till_placements, till_buyers, till_settlements, till_solana_transfers"
    const asOwner = <A, E>(url: string, work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
      Effect.runPromise(Effect.provide(work, PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
    const run = (url: string, ...texts: ReadonlyArray<string>) =>
      asOwner(
        url,
        Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.forEach(texts, (text) => sql.unsafe(text)))
      )
    const namesOf = (url: string) =>
      asOwner(
        url,
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql<{ readonly name: string }>`SELECT tablename AS name FROM pg_catalog.pg_tables
            WHERE schemaname = 'public' ORDER BY tablename`
        )
      ).then((rows) => rows.map(({ name }) => name))

    it("says what to grant where the versions of its tables aren't recorded, and leaves nothing behind", async () => {
      const url = await cluster.createDatabase()
      await open(url).placements.record("order-1", { reference: "ci_1", atMillis: 5 })
      await run(
        url,
        "DROP TABLE till_journal_migrations",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        "CREATE ROLE old_writer LOGIN PASSWORD 'password'",
        `GRANT SELECT, INSERT, UPDATE ON ${tables} TO old_writer`
      )
      const before = await namesOf(url)
      const { placements } = open(url.replace("//postgres:", "//old_writer:"))
      const refused = await failureOf(placements.find("order-1"))
      const text = String(refused["cause"])
      assert.include(text, "ConfigurationError")
      assert.include(
        text,
        "the role old_writer lacks a right: permission denied for schema public. Nothing was changed."
      )
      assert.include(text, "till_journal_migrations lacks 1_initial")
      assert.include(text, "GRANT CREATE ON SCHEMA public TO old_writer")
      assert.deepStrictEqual(await namesOf(url), before)
      await run(url, "GRANT CREATE ON SCHEMA public TO old_writer")
      assert.deepStrictEqual(await placements.find("order-1"), { reference: "ci_1", atMillis: 5 })
    })

    it("says what to grant where another role has recorded them", async () => {
      const url = await cluster.createDatabase()
      await open(url).placements.record("order-1", { reference: "ci_1", atMillis: 5 })
      await run(
        url,
        "CREATE ROLE late_writer LOGIN PASSWORD 'password'",
        `GRANT SELECT, INSERT, UPDATE ON ${tables} TO late_writer`
      )
      const { placements } = open(url.replace("//postgres:", "//late_writer:"))
      const grant = "GRANT SELECT ON till_journal_migrations TO late_writer"
      assert.include(String((await failureOf(placements.find("order-1")))["cause"]), grant)
      await run(url, grant)
      assert.deepStrictEqual(await placements.find("order-1"), { reference: "ci_1", atMillis: 5 })
    })

    it("of a table without one of its unique keys is refused", async () => {
      const url = await cluster.createDatabase()
      await open(url).placements.find("order-1")
      await run(
        url,
        "ALTER TABLE till_settlements DROP CONSTRAINT till_settlements_chain_id_relayer_nonce_replacement_key"
      )
      const refused = await failureOf(open(url).placements.find("order-1"))
      assert.include(
        String(refused["cause"]),
        "unique key till_settlements.(chain_id,nonce,relayer,replacement) is missing"
      )
    })
  })

  it("uses the first schema of the search path, whatever the others contain", async () => {
    const url = await cluster.createDatabase()
    const settled = settlement()
    await open(url).settlements.insert(settled)
    const asOwner = PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
    const creating = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe("CREATE SCHEMA shop_a"))
    await Effect.runPromise(Effect.provide(creating, asOwner))
    const inShop = `${url}?options=${encodeURIComponent("-c search_path=shop_a,public")}`
    assert.deepStrictEqual(await open(inShop).settlements.find(settled.key), [])
    assert.isUndefined(await open(inShop).settlements.insert({ ...settled, digest: "0xd2" }))
    assert.deepStrictEqual(await open(url).settlements.find(settled.key), [settled])
  })

  it("serves concurrent callers", async () => {
    const { placements } = open(await newPlace())
    const ids = Array.from({ length: 100 }, (_, at) => `order-${at}`)
    await Promise.all(ids.map((id, at) => placements.record(id, { reference: `ci_${at}`, atMillis: at })))
    const found = await Promise.all(ids.map((id) => placements.find(id)))
    assert.deepStrictEqual(
      found.map((entry) => entry?.atMillis),
      ids.map((_, at) => at)
    )
  })

  it("is done once it is closed, and may be closed again", async () => {
    const journals = open(await newPlace())
    await journals.placements.record("order-1", { reference: "ci_1", atMillis: 1 })
    await Promise.all([journals.close(), journals.close()])
    assert.strictEqual((await failureOf(journals.placements.find("order-1")))._tag, "StoreError")
  })

  it("reports errors without the password, and works once they are fixed", async () => {
    const url = (await cluster.createDatabase()).replace(/[^/]+$/, "made_later")
    const { settlements } = open(url)
    const failure = await failureOf(settlements.find("key"))
    assert.strictEqual(failure._tag, "StoreError")
    assert.notInclude(
      `${String(failure)} ${String(failure["cause"])} ${JSON.stringify(failure)}`,
      "password@"
    )
    const admin = PgClient.layer({ url: Redacted.make(cluster.url), maxConnections: 1 })
    const creating = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe("CREATE DATABASE made_later"))
    await Effect.runPromise(Effect.provide(creating, admin))
    assert.isUndefined(await settlements.insert(settlement()))
  })

  it.each([["mysql://localhost/till"], ["till.sqlite"], [""]])("takes no %j", (url) => {
    assert.throws(() => postgresJournals(url), /^journals: url must be postgres:/)
  })
})

describe("postgresJournals(), of a silent server", () => {
  let server: Server
  const sockets: Array<Socket> = []
  beforeAll(async () => {
    server = createServer((socket) => void sockets.push(socket))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  it("gives up", async () => {
    const address = server.address()
    assert.isObject(address)
    const { port } = address as { readonly port: number }
    const { placements } = open(`postgres://till@127.0.0.1:${port}/till`)
    assert.strictEqual((await failureOf(placements.find("order-1")))._tag, "StoreError")
  })
})
