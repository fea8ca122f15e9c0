import { PgClient } from "@effect/sql-pg"
import { type Postgres, startPostgres } from "@till402/test-postgres"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Charges } from "../../src/ports/Charges.ts"
import { layer } from "../../src/sql/Charges.ts"
import { migrate } from "../../src/sql/migrations.ts"
import * as SqliteClient from "../../src/sql/SqliteClient.ts"
import {
  chargesWithOne,
  lease,
  order,
  paid,
  paidRefundDue,
  provisional,
  unlimited
} from "../../src/testing/stores/chargeRecords.ts"
import { sampleCharge } from "../../src/testing/stores/records.ts"

/*
 * The plans that both engines make for the statements of the verbs, as the verbs run them.
 */

let cluster: Postgres
beforeAll(async () => {
  cluster = await startPostgres()
})
afterAll(() => cluster.stop())

type Store = Charges["Service"]
const key = "key-ready-1"
const limit = { sinceMillis: 1_000, maxAtomic: "1000000" }

/** A verb, and the indexes that its statements use beside that of the key. */
const verbs: ReadonlyArray<
  readonly [string, (store: Store) => Effect.Effect<unknown, unknown>, ReadonlyArray<string>]
> = [
  [
    "claim",
    (store) => store.claim(sampleCharge({ key: "new" }), lease("me"), 1_000, unlimited),
    ["till_charges_payer"]
  ],
  [
    "claim, of a limited payer",
    (store) =>
      store.claim(sampleCharge({ key: "other" }), lease("me"), 1_000, { ...unlimited, maxUnsettled: 0 }),
    ["till_charges_payer"]
  ],
  [
    "payerActivity",
    (store) => store.payerActivity(sampleCharge({ key, createdAtMillis: 9_000 }), 1_000, 2_000),
    ["till_charges_payer", "till_charges_paid"]
  ],
  ["complete", (store) => store.complete(key, { ...paid, transferLogIndex: 7 }, 1_500), []],
  ["unfinished", (store) => store.unfinished(9_000, 20), ["till_charges_unfinished"]],
  ["voidedDue", (store) => store.voidedDue(9_000, 20), ["till_charges_unfinished"]],
  ["releaseVoided", (store) => store.releaseVoided(["key-voided-1", "key-voided-2"], 9_000), []],
  [
    "list",
    (store) => store.list({ limit: 5, before: { createdAtMillis: 1_100, key: "k" } }),
    ["till_charges_created"]
  ],
  ["list, of a state", (store) => store.list({ limit: 5, state: "claimed" }), ["till_charges_open"]],
  ["list, of refunds due", (store) => store.list({ limit: 5, isRefundDue: true }), ["till_charges_owed"]],
  [
    "list, of those settled in a span",
    (store) => store.list({ limit: 1_000, settledFromMillis: 1_500, settledBeforeMillis: 1_510 }),
    ["till_charges_settled"]
  ],
  ["expire", (store) => store.expire(1_510, 10), ["till_charges_responses"]],
  ["markRefundDue", (store) => store.markRefundDue("key-settled-1", 2_000), []],
  [
    "startRefund",
    (store) => store.startRefund("key-owed-1", limit, 2_000),
    ["till_ledger_payer", "till_charges_refunds"]
  ],
  ["entries", (store) => store.entries({ limit: 5, fromMillis: 1_500 }), ["till_ledger_at"]],
  ["entries, of a payer", (store) => store.entries({ limit: 5, payer: "0xpayer1" }), ["till_ledger_payer"]],
  [
    "entries, of charges",
    (store) => store.entries({ limit: 5, chargeKeys: ["key-settled-1", "key-settled-2"] }),
    []
  ],
  ["totals", (store) => store.totals(1_500, 1_510), ["till_ledger_at"]],
  ["refundStop", (store) => store.refundStop(), []]
]

/** Charges of some payers in every state, claims the fewest. */
const filled = Effect.fnUntraced(function* (payers: number) {
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

/** The plans of the statements that a verb runs. */
const plansOf = Effect.fnUntraced(function* (
  explain: string,
  run: (store: Store) => Effect.Effect<unknown, unknown>
) {
  const sql = yield* SqlClient.SqlClient
  const statements: Array<readonly [string, ReadonlyArray<unknown>]> = []
  const noting: Statement.Transformer = (statement) =>
    Effect.sync(() => {
      statements.push(statement.compile())
      return statement
    })
  yield* Effect.provideService(Effect.flatMap(Charges, run), Statement.CurrentTransformer, noting)
  const plans: Array<string> = []
  for (const [text, parameters] of statements) {
    const rows = yield* sql.unsafe<Readonly<Record<string, unknown>>>(`${explain} ${text}`, parameters)
    plans.push(rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n"))
  }
  return plans.join("\n\n")
})

const indexesOf = (plan: string): ReadonlyArray<string> =>
  Array.from(new Set(plan.match(/till_(?:charges|ledger)_[a-z]+/g) ?? []))
    .filter((name) => !name.endsWith("_pkey"))
    .toSorted()

describe("each verb reads by an index", () => {
  it.each(verbs)("on SQLite: %s", async (_, run, indexes) => {
    const filename = ":memory:"
    const stores = layer.pipe(Layer.provideMerge(SqliteClient.layer({ filename })))
    const plan = await Effect.runPromise(
      Effect.provide(
        Effect.andThen(Effect.andThen(migrate, filled(3)), plansOf("EXPLAIN QUERY PLAN", run)),
        stores
      )
    )
    expect(plan).not.toMatch(/SCAN till_(charges|ledger)(?! USING)/)
    expect(indexesOf(plan)).toEqual(indexes.toSorted())
  })

  describe("on PostgreSQL", () => {
    let stores: Layer.Layer<Charges | SqlClient.SqlClient, unknown>
    beforeAll(async () => {
      const url = await cluster.createDatabase()
      stores = layer.pipe(
        Layer.provideMerge(PgClient.layer({ url: Redacted.make(url), maxConnections: 1, multiplex: false }))
      )
      const statistics = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`ANALYZE`)
      await Effect.runPromise(
        Effect.provide(Effect.andThen(migrate, Effect.andThen(filled(200), statistics)), stores)
      )
    })

    it.each(verbs)("%s", async (_, run, indexes) => {
      const planned = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // Whatever the size of the tables: an index that can't serve is a scan in the end.
        yield* sql`SET enable_seqscan = off`
        return yield* plansOf("EXPLAIN", run)
      })
      const plan = await Effect.runPromise(Effect.provide(planned, stores))
      expect(plan).not.toMatch(/Seq Scan on till_(charges|ledger)/)
      expect(indexesOf(plan)).toEqual(indexes.toSorted())
    })
  })
})
