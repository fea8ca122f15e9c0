import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import { inspect } from "node:util"
import { PgClient } from "@effect/sql-pg"
import { type Postgres, sharedPostgres } from "@till402/test-postgres"
import { Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { ConfigurationError } from "../src/domain/Errors.ts"
import { Charges } from "../src/ports/Charges.ts"
import { StoreClock } from "../src/ports/StoreClock.ts"
import { VaultItems } from "../src/shop/ports/VaultItems.ts"
import { schemaSql } from "../src/stores/schema/migrations.ts"
import { postgres } from "../src/postgres.ts"
import { chargesWithOne, paidRefundDue } from "../../testing/src/stores/chargeRecords.ts"
import { sampleResponse, sampleVaultItem } from "../../testing/src/stores/records.ts"
import { claimOf } from "./stores/sql/claimOf.ts"
import { openTill, search } from "./toll/openTill.ts"

let cluster: Omit<Postgres, "stop">
beforeAll(async () => {
  cluster = await sharedPostgres()
})

/** Queries a database directly, beside the stores. */
const withClient = <A, E>(url: string, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.runPromise(Effect.provide(use, PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
const run = (text: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Readonly<Record<string, unknown>>>(text))

describe("a database in use", () => {
  it("gets no more connections than allowed, however many callers there are", async () => {
    const url = await cluster.createDatabase()
    const counting = Effect.gen(function* () {
      const claims = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 200 }, (_, number) => `key-${number}`),
          claimOf,
          { concurrency: "unbounded" }
        )
      )
      const counts = yield* Effect.promise(() =>
        withClient(
          cluster.url,
          Effect.forEach(Array.from({ length: 20 }), () =>
            run(`SELECT count(*) AS count FROM pg_stat_activity
              WHERE application_name = 'till402' AND datname = '${url.split("/").at(-1)}'`)
          )
        )
      )
      yield* Fiber.join(claims)
      return counts.map(([row]) => Number(row!["count"]))
    })
    const counts = await Effect.runPromise(Effect.provide(counting, postgres({ url, maxConnections: 3 })))
    expect(Math.max(...counts)).toBeGreaterThan(0)
    expect(Math.max(...counts)).toBeLessThanOrEqual(3)
  })

  it("does not hold a verb for longer than a statement may take, and serves on", async () => {
    const url = await cluster.createDatabase()
    const blocked = Effect.gen(function* () {
      const charges = yield* Charges
      yield* claimOf("key")
      const error = yield* Effect.promise(() =>
        withClient(
          url,
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`SELECT * FROM till_charges WHERE key = 'key' FOR UPDATE`
                return yield* Effect.promise(() =>
                  Effect.runPromise(Effect.flip(charges.release("key", "me")))
                )
              })
            )
          )
        )
      )
      return { error, released: yield* charges.release("key", "me") }
    })
    const storage = postgres({ url, statementTimeoutMillis: 2_000 })
    const { error, released } = await Effect.runPromise(Effect.provide(blocked, storage))
    expect(error).toMatchObject({ operation: "charges.release" })
    expect(inspect(error, { depth: 10 })).toMatch(/statement timeout/)
    expect(released).toBe(true)
  })

  it("serves on when the server has closed its connections", async () => {
    const url = await cluster.createDatabase()
    const closing = Effect.gen(function* () {
      yield* Effect.forEach(["a", "b", "c", "d"], claimOf, { concurrency: "unbounded" })
      const closed = yield* Effect.promise(() =>
        withClient(
          url,
          run(`SELECT pg_terminate_backend(pid, 5000) AS closed FROM pg_stat_activity
            WHERE application_name = 'till402' AND datname = current_database()`)
        )
      )
      // Queries in flight may fail; later ones must not.
      yield* Effect.exit(claimOf("e"))
      return { closed, next: yield* claimOf("f"), charge: yield* Charges.use(({ find }) => find("a")) }
    })
    const found = await Effect.runPromise(Effect.provide(closing, postgres({ url })))
    expect(found.closed.length).toBeGreaterThan(0)
    expect(found.closed.every(({ closed }) => closed === true)).toBe(true)
    expect(found.next).toEqual({ _tag: "Claimed" })
    expect(found.charge).toMatchObject({ state: "claimed", key: "a" })
  })

  it("does not wait for a network that has swallowed its statement", async () => {
    const target = new URL(await cluster.createDatabase())
    let isSwallowing = false
    const wire = createServer((near) => {
      const far = connect(Number(target.port), target.hostname)
      near.on("data", (bytes) => isSwallowing || far.write(bytes))
      far.on("data", (bytes) => isSwallowing || near.write(bytes))
      near.on("close", () => far.destroy()).on("error", () => far.destroy())
      far.on("close", () => near.destroy()).on("error", () => near.destroy())
    })
    wire.listen(0, "127.0.0.1")
    await once(wire, "listening")
    const through = new URL(target)
    through.port = String((wire.address() as AddressInfo).port)
    const swallowed = Effect.gen(function* () {
      // A busy machine may not answer in time what isn't swallowed.
      yield* Effect.retry(claimOf("a"), { times: 9 })
      isSwallowing = true
      const error = yield* Effect.flip(claimOf("b"))
      isSwallowing = false
      // The one connection was swallowed with the statement; its place is free again when it is given up.
      const next = yield* Effect.retry(claimOf("c"), { times: 9 })
      return { error, next }
    })
    const deadlines = { connectTimeoutMillis: 2_000, statementTimeoutMillis: 1_000 }
    const storage = postgres({ url: through.href, maxConnections: 1, ...deadlines })
    const { error, next } = await Effect.runPromise(Effect.provide(swallowed, storage))
    wire.close()
    expect(error).toMatchObject({
      operation: "charges.claim",
      cause: { message: expect.stringMatching(/^no response within \d+ ms$/) }
    })
    expect(next).toEqual({ _tag: "Claimed" })
  })

  it("counts a download of an item that is being changed, without waiting for the change", async () => {
    const url = await cluster.createDatabase()
    const counting = Effect.gen(function* () {
      const items = yield* VaultItems
      yield* items.put(sampleVaultItem(1))
      yield* Effect.promise(() =>
        withClient(
          url,
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            sql.withTransaction(
              Effect.andThen(
                sql`UPDATE till_vault_items SET price = 3 WHERE slug = 'item-1'`,
                Effect.promise(() => Effect.runPromise(items.countDownload("item-1")))
              )
            )
          )
        )
      )
      return yield* items.findBySlug("item-1")
    })
    const found = await Effect.runPromise(Effect.provide(counting, postgres({ url })))
    expect(found?.downloads).toBe(1)
  })

  it("is migrated by all that open it at once", async () => {
    const url = await cluster.createDatabase()
    const opening = Effect.forEach(
      Array.from({ length: 8 }, (_, number) => `key-${number}`),
      (key) => Effect.provide(claimOf(key), postgres({ url, maxConnections: 2 })),
      { concurrency: "unbounded" }
    )
    const claims = await Effect.runPromise(opening)
    expect(claims.every(({ _tag }) => _tag === "Claimed")).toBe(true)
    expect(await withClient(url, run("SELECT name FROM till_migrations"))).toEqual([{ name: "initial" }])
  })

  it("is migrated without the timeout of a statement", async () => {
    const url = await cluster.createDatabase()
    const held = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT pg_advisory_xact_lock(402402, hashtext(current_schema()))`
          const opening = Effect.runPromise(
            Effect.provide(claimOf("key"), postgres({ url, statementTimeoutMillis: 2_000 }))
          )
          yield* Effect.sleep(500)
          return { opening }
        })
      )
    )
    const { opening } = await withClient(url, held)
    expect(await opening).toEqual({ _tag: "Claimed" })
  })

  it("refuses to change the ledger", async () => {
    const url = await cluster.createDatabase()
    const settled = Effect.gen(function* () {
      const charges = yield* Charges
      yield* claimOf("key")
      yield* charges.advance("key", "me", { response: sampleResponse(), subject: undefined })
      yield* charges.complete("key", paidRefundDue, 1_500)
    })
    await Effect.runPromise(Effect.provide(settled, postgres({ url })))
    for (const text of ["UPDATE till_ledger SET amount = '1'", "DELETE FROM till_ledger"]) {
      const error = await withClient(url, Effect.flip(run(text)))
      expect(inspect(error, { depth: 10 })).toMatch("the ledger is append-only")
    }
    expect(await withClient(url, run("SELECT kind FROM till_ledger ORDER BY kind"))).toEqual([
      { kind: "refund_due" },
      { kind: "settled" }
    ])
  })

  it("starts no refund beyond the payments in its ledger", async () => {
    const url = await cluster.createDatabase()
    const onStore = <A, E>(use: Effect.Effect<A, E, Charges>) =>
      Effect.runPromise(Effect.provide(use, postgres({ url })))
    const start = (own: string) =>
      Charges.use((charges) => charges.startRefund(own, { sinceMillis: 0, maxAtomic: "20000" }, 2_000))
    await onStore(
      Effect.forEach(["first", "second"], (own) =>
        chargesWithOne("settled", { key: own }, { settlement: paidRefundDue })
      )
    )
    const receive = (amount: string) =>
      withClient(
        url,
        Effect.forEach(
          [
            "ALTER TABLE till_ledger DISABLE TRIGGER till_ledger_kept",
            `UPDATE till_ledger SET amount = '${amount}' WHERE charge_key = 'second'`,
            "ALTER TABLE till_ledger ENABLE TRIGGER till_ledger_kept"
          ],
          run
        )
      )
    await receive("0")
    expect(await onStore(start("first"))).toEqual({ _tag: "Started" })
    expect(await onStore(start("second"))).toEqual({ _tag: "ExceedsReceived" })
    await receive("10000")
    expect(await onStore(start("second"))).toEqual({ _tag: "Started" })
  })

  it("returns the time by which tills measure leases", async () => {
    const url = await cluster.createDatabase()
    const reading = Effect.flatMap(StoreClock, (clock) => clock!.nowMillis)
    const before = Date.now()
    const nowMillis = await Effect.runPromise(Effect.provide(reading, postgres({ url })))
    expect(nowMillis).toBeGreaterThanOrEqual(before - 1)
    expect(nowMillis).toBeLessThanOrEqual(Date.now() + 1)
  })

  it.each([200_000, -200_000])("refuses a till whose clock is off by %d ms", async (skewMillis) => {
    const storage = postgres({ url: await cluster.createDatabase() })
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + skewMillis })
    onTestFinished(() => void vi.useRealTimers())
    const error = await openTill({ storage }).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).toMatch(/\d{3} s (?:ahead of|behind) the database's/)
  })

  it("is the clock of a till that is near it", async () => {
    const storage = postgres({ url: await cluster.createDatabase() })
    const startMillis = Date.now()
    const machineMillis = () => performance.timeOrigin + performance.now()
    vi.useFakeTimers({ toFake: ["Date"], now: startMillis + 30_000 })
    onTestFinished(() => void vi.useRealTimers())
    const { events, till, payFor, present } = await openTill({ storage })
    const response = await present(search, await payFor(search))
    expect(response.status, response.text).toBe(200)
    const [charge] = await till.charges.list({ limit: 1 })
    expect(charge!.createdAt.getTime()).toBeGreaterThanOrEqual(startMillis)
    expect(charge!.createdAt.getTime()).toBeLessThanOrEqual(Math.ceil(machineMillis()))
    expect(events.map(({ code }) => code)).toContain("clock_skewed")
  })

  it("is left alone where the host made the schema from schemaSql", async () => {
    const url = await cluster.createDatabase()
    const statements = schemaSql.postgres.split(";\n\n")
    await withClient(url, Effect.forEach(statements, run, { discard: true }))
    const claim = await Effect.runPromise(Effect.provide(claimOf("key"), postgres({ url })))
    expect(claim).toEqual({ _tag: "Claimed" })
  })

  it("keeps its own order of text: that of the code points", async () => {
    await withClient(
      cluster.url,
      run("CREATE DATABASE ordered TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'")
    )
    const claims = Effect.gen(function* () {
      for (const key of ["b", "B", "_", "a"]) yield* claimOf(key)
      const charges = yield* Charges
      const [first, second] = yield* charges.list({ limit: 2 })
      const rest = yield* charges.list({ limit: 9, before: second! })
      return [first!, second!, ...rest].map(({ key }) => key)
    })
    const url = cluster.url.replace(/postgres$/, "ordered")
    expect(await Effect.runPromise(Effect.provide(claims, postgres({ url })))).toEqual(["b", "a", "_", "B"])
  })
})
