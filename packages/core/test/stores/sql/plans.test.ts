import { PgClient } from "@effect/sql-pg"
import { type Postgres, sharedPostgres } from "@till402/test-postgres"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import { Orders } from "../../../src/shop/ports/Orders.ts"
import { Quotes } from "../../../src/shop/ports/Quotes.ts"
import type { Stores } from "../../../src/stores/Stores.ts"
import type { VaultQuery } from "../../../src/shop/goods/VaultItem.ts"
import { VaultItems } from "../../../src/shop/ports/VaultItems.ts"
import { VaultPurchases } from "../../../src/shop/ports/VaultPurchases.ts"
import { claimFunction } from "../../../src/stores/schema/claimStatement.ts"
import * as SqliteClient from "../../../src/stores/sqlite/SqliteClient.ts"
import { layerSql } from "../../../src/stores/sql/stores.ts"
import {
  chargesWithOne,
  order,
  paidRefundDue,
  provisional
} from "../../../../testing/src/stores/chargeRecords.ts"
import {
  sampleOffer,
  sampleOrder,
  sampleQuote,
  sampleVaultItem,
  uuidOf
} from "../../../../testing/src/stores/records.ts"
import { type PlannedVerb, plannedVerbs } from "./plannedVerbs.ts"

/*
 * The plans that both engines make for the statements of the stores, as the stores run them: no table that grows is
 * scanned or sorted.
 */

let cluster: Omit<Postgres, "stop">
beforeAll(async () => {
  cluster = await sharedPostgres()
})

/** Charges of some payers in every state, claims the fewest. */
const filledCharges = Effect.fnUntraced(function* (payers: number) {
  for (let number = 0; number < payers; number++) {
    const of = (state: string) => ({
      key: `key-${state}-${number}`,
      payer: `0xpayer${number}`,
      createdAtMillis: 1_000 + number
    })
    const settledAtMillis = 1_500 + number
    if (number < 5) yield* chargesWithOne("claimed", of("claimed"))
    yield* chargesWithOne("ready", of("ready"))
    yield* chargesWithOne("voided", of("voided"))
    yield* chargesWithOne("voided", of("ordered"), { subject: order })
    yield* chargesWithOne("settled", of("settled"), { settledAtMillis })
    yield* chargesWithOne("settled", of("owed"), { settledAtMillis, settlement: paidRefundDue })
    const settlement = { ...provisional, transferLogIndex: number }
    yield* chargesWithOne("settled", of("provisional"), { settledAtMillis, settlement })
  }
})

/** As many orders, purchases and quotes; nearly all rest, and some are due. */
const filled = Effect.fnUntraced(function* (count: number) {
  yield* filledCharges(count)
  const orders = yield* Orders
  const purchases = yield* VaultPurchases
  const quotes = yield* Quotes
  const items = yield* VaultItems
  for (let number = 0; number < count; number++) {
    const createdAtMillis = 1_000 + number
    const dueAtMillis = number % 20 === 0 ? 2_000 + number : undefined
    yield* orders.create(
      sampleOrder({
        id: uuidOf(number),
        status: number % 50 === 0 ? "needs_operator" : "delivered",
        upstreamReference: `U-${number}`,
        stepAtMillis: dueAtMillis,
        dueAtMillis,
        createdAtMillis,
        updatedAtMillis: createdAtMillis
      })
    )
    const rare = { category: "ios", productType: "persona", title: `東京 ${number}` } as const
    yield* items.put(sampleVaultItem(number, number % 20 === 0 ? rare : {}))
    const bought = {
      chargeKey: `key-${number}`,
      keyId: "1",
      slug: "item-1",
      walletAddress: "0x1",
      email: "a@mail.example"
    }
    yield* purchases.reserve({ ...bought, id: uuidOf(number), createdAtMillis, dueAtMillis: 2_000 })
    if (number % 20 !== 0) yield* purchases.grant(uuidOf(number), undefined)
    const offer = sampleOffer({ expiresAtMillis: 2_000 + number })
    yield* quotes.put(sampleQuote({ id: uuidOf(number), fingerprint: `r-${number}`, offer }), 1_000)
    if (number % 2 === 0) yield* quotes.consume(uuidOf(number), `charge-${number}`, 1_000)
  }
})

/** The plans of the statements that a verb runs. */
const plansOf = Effect.fnUntraced(function* (explain: string, { run }: PlannedVerb) {
  const sql = yield* SqlClient.SqlClient
  const statements: Array<readonly [string, ReadonlyArray<unknown>]> = []
  const noting: Statement.Transformer = (statement) =>
    Effect.sync(() => {
      statements.push(statement.compile())
      return statement
    })
  yield* Effect.provideService(run, Statement.CurrentTransformer, noting)
  const plans: Array<string> = []
  for (const [text, parameters] of statements) {
    const rows = yield* sql.unsafe<Readonly<Record<string, unknown>>>(`${explain} ${text}`, parameters)
    plans.push(rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n"))
  }
  return plans.join("\n\n")
})

const tables = "charges|ledger|orders|quotes|vault_downloads|vault_items|vault_purchases"

const indexesOf = (plan: string): ReadonlyArray<string> =>
  Array.from(new Set(plan.match(/(?<=(?:INDEX|using|Scan on) )till_\w+/g) ?? []))
    .filter((name) => !/_(?:pkey|slug_key)$/.test(name) && !new RegExp(`^till_(?:${tables})$`).test(name))
    .toSorted()

/** Parts of a plan that sort. A part of an order that an index doesn't give is no sort of a table. */
const sortsOf = (plan: string): ReadonlyArray<string> =>
  plan.split("\n").filter((line) => /TEMP B-TREE FOR (?:ORDER|GROUP) BY|^\W*Sort\b/.test(line))

const expectPlanned = (
  verb: PlannedVerb,
  plan: string,
  scan: RegExp,
  indexes: ReadonlyArray<string> = verb.indexes
): void => {
  expect(plan).not.toMatch(scan)
  expect(indexesOf(plan)).toEqual(indexes.toSorted())
  if (verb.sorts === undefined) expect(sortsOf(plan)).toEqual([])
}

const named = plannedVerbs.map((verb) => [verb.name, verb] as const)

describe("each method reads by an index", () => {
  describe("on SQLite", () => {
    const stores = ManagedRuntime.make(
      layerSql.pipe(Layer.provideMerge(SqliteClient.layer({ filename: ":memory:" })))
    )
    beforeAll(() => stores.runPromise(filled(3)))
    afterAll(() => stores.dispose())

    it.each(named)("%s", async (_, verb) => {
      const plan = await stores.runPromise(plansOf("EXPLAIN QUERY PLAN", verb))
      expectPlanned(verb, plan, new RegExp(`SCAN (?:till_(?:${tables})|[a-z])(?! USING)\\b`))
    })

    it.each(named.filter(([name]) => /^charges.*a later page/.test(name)))(
      "begins where the page before ended: %s",
      async (_, verb) => {
        const plan = await stores.runPromise(plansOf("EXPLAIN QUERY PLAN", verb))
        expect(plan).toMatch(/\((?:created_at|settled_at|at),\w[\w,]*\)[<>]\(\?/)
      }
    )
  })

  describe("on PostgreSQL", () => {
    let stores: Layer.Layer<Stores | SqlClient.SqlClient, unknown>
    beforeAll(async () => {
      const url = await cluster.createDatabase()
      stores = layerSql.pipe(
        Layer.provideMerge(PgClient.layer({ url: Redacted.make(url), maxConnections: 1, multiplex: false }))
      )
      const statistics = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`VACUUM ANALYZE`)
      await Effect.runPromise(Effect.provide(Effect.andThen(filled(200), statistics), stores))
    })

    it("vaultItems.search is planned anew for its words each time", async () => {
      const planned = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* VaultItems
        for (let time = 0; time < 7; time++) yield* store.search({ limit: 5, q: "writer" })
        yield* store.findBySlug("item-1")
        return yield* sql<{ readonly statement: string }>`SELECT statement FROM pg_prepared_statements`
      })
      const prepared = await Effect.runPromise(Effect.provide(planned, stores))
      // Others are prepared, so this one would be listed.
      expect(prepared.filter(({ statement }) => statement.includes("i.slug ="))).toHaveLength(1)
      expect(prepared.filter(({ statement }) => statement.includes("@@"))).toEqual([])
    })

    it("vaultItems.search, a rare word: by the index of terms", async () => {
      const search = VaultItems.use((store) => store.search({ limit: 5, q: "東京" }))
      const planned = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const way of ["seqscan", "indexscan"]) yield* sql.unsafe(`SET enable_${way} = off`)
        return yield* plansOf("EXPLAIN", { name: "search", run: search, indexes: [] })
      })
      const plan = await Effect.runPromise(Effect.provide(planned, stores))
      expect(indexesOf(plan)).toEqual(["till_vault_items_terms"])
    })

    describe("vaultItems.search in a vault of a million items, by the planner's statistics", () => {
      let vault: typeof stores
      beforeAll(async () => {
        const url = await cluster.createDatabase()
        vault = layerSql.pipe(
          Layer.provideMerge(PgClient.layer({ url: Redacted.make(url), maxConnections: 1, multiplex: false }))
        )
        const written = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql.unsafe(`INSERT INTO till_vault_items
            (id, slug, position, product_type, category, price, downloads, search, document)
            SELECT 'id-' || n, 'slug-' || n, n, 'skill', CASE WHEN n % 6 = 1 THEN 'ios' ELSE 'career' END, 1 + n * 7 % 500, 0,
              'common ˆcommon word' || n % 400 || ' ˆword' || n % 400 || ' tail' || n / 2
                || CASE WHEN n = 19000 THEN ' zq' ELSE '' END,
              '{"id":"id-' || n || '","slug":"slug-' || n || '","title":"Common","category":"ios","cardDescription":""}'
            FROM generate_series(1, 20000) AS n`)
          yield* sql`ANALYZE till_vault_items`
          // The planner takes the table to be as full as it says here, and everything else from the statistics.
          yield* sql`UPDATE pg_class SET reltuples = 1000000 WHERE oid = 'till_vault_items'::regclass`
        })
        await Effect.runPromise(Effect.provide(written, vault))
      })

      const searches: ReadonlyArray<readonly [string, Partial<VaultQuery>, string]> = [
        ["a common word", { q: "common" }, "till_vault_items_(?:position|listed)"],
        [
          "a common word, a category and a low price",
          { q: "common", category: "ios", maxPrice: 20 },
          "till_vault_items_(?:category|listed)"
        ],
        ["a rare short word", { q: "zq" }, "till_vault_items_terms"],
        [
          // The last step is that of either word.
          "a common word and a rare one",
          { q: "zq common" },
          "(?:till_vault_items_(?:position|listed) )?till_vault_items_terms"
        ],
        [
          "a common word and the beginning of many",
          { q: "common wo" },
          "till_vault_items_(?:position|listed)"
        ]
      ]
      it.each(searches)("%s", async (_, query, index) => {
        const run = VaultItems.use((store) => store.search({ limit: 30, ...query }))
        const planned = plansOf("EXPLAIN", { name: "search", run, indexes: [] })
        const plan = await Effect.runPromise(Effect.provide(planned, vault))
        expect(indexesOf(plan).join(" "), plan).toMatch(new RegExp(`^${index}$`))
      })
    })

    it("charges.claim counts within its function by the index of payers", async () => {
      const counting = /\(SELECT COUNT[^]*?\) AS others/.exec(claimFunction)![0]
      const given = counting.replace(/\bcharge\.\w+/g, "'0x1'").replace(/\b(?:now|expired)_millis\b/g, "1000")
      const planned = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const way of ["seqscan", "bitmapscan"]) yield* sql.unsafe(`SET enable_${way} = off`)
        return yield* sql.unsafe<Readonly<Record<string, unknown>>>(`EXPLAIN SELECT * FROM ${given}`)
      })
      const rows = await Effect.runPromise(Effect.provide(planned, stores))
      const plan = rows.map((row) => String(row["QUERY PLAN"])).join("\n")
      expect(indexesOf(plan)).toEqual(["till_charges_payer"])
    })

    describe("a charge is found by its key where the statistics know of no unfinished one", () => {
      let settled: typeof stores
      beforeAll(async () => {
        const url = await cluster.createDatabase()
        settled = layerSql.pipe(
          Layer.provideMerge(PgClient.layer({ url: Redacted.make(url), maxConnections: 1, multiplex: false }))
        )
        const written = Effect.gen(function* () {
          for (let number = 0; number < 200; number++)
            yield* chargesWithOne("settled", { key: `key-${number}` }, { settledAtMillis: number })
          yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`VACUUM ANALYZE`)
        })
        await Effect.runPromise(Effect.provide(written, settled))
      })

      const changes: ReadonlyArray<
        readonly [string, (store: Charges["Service"]) => Effect.Effect<unknown, unknown>]
      > = [
        ["advance", (store) => store.advance("key", "me", { response: undefined, subject: undefined })],
        ["complete", (store) => store.complete("key", provisional, 1_500)],
        ["complete, with a refund", (store) => store.complete("key", paidRefundDue, 1_500)],
        ["void", (store) => store.void("key", "me", { checkAfterMillis: 0, keepExposure: false })],
        ["release", (store) => store.release("key", "me")]
      ]
      it.each(changes)("%s", async (name, change) => {
        const planned = plansOf("EXPLAIN", { name, run: Charges.use(change), indexes: [] })
        const plan = await Effect.runPromise(Effect.provide(planned, settled))
        expect(plan).toContain("till_charges_pkey")
        expect(indexesOf(plan)).toEqual([])
      })
    })

    it.each(named)("%s", async (_, verb) => {
      const planned = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // Whatever the size of the tables: what no index can serve is a scan in the end.
        for (const way of ["seqscan", "bitmapscan"]) yield* sql.unsafe(`SET enable_${way} = off`)
        return yield* plansOf("EXPLAIN", verb)
      })
      const plan = await Effect.runPromise(Effect.provide(planned, stores))
      expectPlanned(verb, plan, new RegExp(`Seq Scan on till_(?:${tables})\\b`), verb.postgres)
    })
  })
})
