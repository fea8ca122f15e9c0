import { DatabaseSync } from "node:sqlite"
import { PgClient } from "@effect/sql-pg"
import { type Postgres, sharedPostgres } from "@till402/test-postgres"
import { Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { beforeAll, describe, expect, it } from "vitest"
import type { LedgerEntry, LedgerTotal } from "../../../src/ports/Charges.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { nameOfDay } from "../../../src/runtime/wholeDays.ts"
import { postgres } from "../../../src/postgres.ts"
import { migrations } from "../../../src/stores/schema/migrations.ts"
import { sqlite } from "../../../src/sqlite.ts"
import { chargesWithOne, paidRefundDue } from "../../../src/testing/stores/chargeRecords.ts"
import { temporaryFiles } from "../sql/folder.ts"

/*
 * The sums by day of databases in use: by settlements and refunds at the same time, and while they are migrated.
 */

const dayMillis = 86_400_000

let cluster: Omit<Postgres, "stop">
beforeAll(async () => {
  cluster = await sharedPostgres()
})
const nextFile = temporaryFiles()

const withClient = <A, E>(url: string, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.runPromise(Effect.provide(use, PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))

const engines = [
  {
    dialect: "sqlite",
    create: async () => nextFile(),
    store: (filename: string) => sqlite({ filename }),
    run: async (filename: string, statement: string) => {
      const file = new DatabaseSync(filename)
      file.exec(statement)
      file.close()
    }
  },
  {
    dialect: "postgres",
    create: () => cluster.createDatabase(),
    store: (url: string) => postgres({ url }),
    run: (url: string, statement: string) =>
      withClient(
        url,
        Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.asVoid(sql.unsafe(statement)))
      )
  }
] as const

/** Undoes the second migration. */
const undoing = {
  sqlite: ["DROP TRIGGER till_ledger_summed"],
  postgres: ["DROP TRIGGER till_ledger_summed ON till_ledger", "DROP FUNCTION till_sum"]
}
const undoingBoth = [
  "DROP TABLE till_ledger_days",
  "DROP INDEX till_charges_settlements",
  "DROP INDEX till_orders_resting",
  "CREATE INDEX till_charges_settled ON till_charges (settled_at) WHERE state = 'settled'",
  "CREATE INDEX till_orders_known ON till_orders (updated_at) WHERE personal IS NOT NULL",
  "DELETE FROM till_migrations WHERE migration_id = 2"
]

const summed = (entries: ReadonlyArray<LedgerEntry>): ReadonlyArray<string> => {
  const sums = new Map<string, { count: number; amount: bigint }>()
  for (const { amountAtomic, atMillis, kind } of entries) {
    const name = `${nameOfDay(Math.floor(atMillis / dayMillis))} ${kind}`
    const { amount, count } = sums.get(name) ?? { amount: 0n, count: 0 }
    sums.set(name, { count: count + 1, amount: amount + BigInt(amountAtomic) })
  }
  return Array.from(sums, ([name, { amount, count }]) => `${name} ${count} ${amount}`).sort()
}

const named = (totals: ReadonlyArray<LedgerTotal>): ReadonlyArray<string> =>
  totals.map(({ amountAtomic, count, day, kind }) => `${day} ${kind} ${count} ${amountAtomic}`).sort()

/** The sums that the store keeps of its first days, and those of its entries. */
const bothSums = Effect.gen(function* () {
  const charges = yield* Charges
  const totals = yield* charges.totals(0, 10 * dayMillis)
  return { totals: named(totals), entries: summed(yield* charges.entries({ limit: 10_000 })) }
})

/** Settles a charge that is due a refund, and sends it. */
const settleAndRefund = Effect.fnUntraced(function* (key: string, settledAtMillis: number) {
  const charges = yield* chargesWithOne("settled", { key }, { settledAtMillis, settlement: paidRefundDue })
  yield* charges.startRefund(key, { sinceMillis: 0, maxAtomic: "1000000000000" }, settledAtMillis)
  yield* charges.recordRefund(key, `0xrefund-of-${key}`, settledAtMillis + dayMillis)
  yield* charges.recordFurtherRefund(key, `0xfurther-of-${key}`, settledAtMillis + dayMillis)
})

describe.each(engines.map((engine) => [engine.dialect, engine] as const))(
  "sums by day, in %s",
  (_, engine) => {
    it("are those of the entries, however many processes settle and refund at the same time", async () => {
      const name = await engine.create()
      const opened = Effect.provide(Effect.asVoid(Charges), engine.store(name))
      await Effect.runPromise(opened)
      const process = (own: string) =>
        Effect.provide(
          Effect.forEach(
            Array.from({ length: 40 }, (_, number) => number),
            (number) => settleAndRefund(`${own}-${number}`, (number % 3) * dayMillis + 1_500),
            { concurrency: 8 }
          ),
          engine.store(name)
        )
      await Effect.runPromise(Effect.forEach(["a", "b", "c"], process, { concurrency: "unbounded" }))
      const { entries, totals } = await Effect.runPromise(Effect.provide(bothSums, engine.store(name)))
      expect(entries).toHaveLength(3 + 3 + 3)
      expect(entries[0]).toBe("1970-01-01 refund_due 42 420000")
      expect(totals).toEqual(entries)
    })

    it("are those of the entries where the host migrates statement by statement, while a till settles", async () => {
      const name = await engine.create()
      await Effect.runPromise(
        Effect.provide(
          Effect.gen(function* () {
            yield* settleAndRefund("before", 1_500)
            for (const statement of [...undoing[engine.dialect], ...undoingBoth])
              yield* Effect.promise(() => engine.run(name, statement))
            yield* settleAndRefund("unsummed", 1_500)
            for (const [number, statement] of migrations[1]![engine.dialect].entries()) {
              yield* Effect.promise(() => engine.run(name, statement))
              yield* settleAndRefund(`meanwhile-${number}`, (number % 2) * dayMillis + 1_500)
            }
            const { entries, totals } = yield* bothSums
            expect(totals).toEqual(entries)
            // A second run changes nothing.
            for (const statement of migrations[1]![engine.dialect])
              yield* Effect.promise(() => engine.run(name, statement))
            expect((yield* bothSums).totals).toEqual(entries)
          }),
          engine.store(name)
        )
      )
    })
  }
)

it("a database is migrated while transactions of an older till read and then write", async () => {
  const url = await cluster.createDatabase()
  const store = postgres({ url })
  await Effect.runPromise(Effect.provide(settleAndRefund("before", 1_500), store))
  const waiting = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'till_charges'::regclass`
  )
  const written = await withClient(
    url,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const statement of [...undoing.postgres, ...undoingBoth]) yield* sql.unsafe(statement)
      return yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT key FROM till_charges`
          const migrated = yield* Effect.forkDetach(Effect.provide(bothSums, store))
          yield* Effect.promise(async () => {
            while ((await withClient(url, waiting)).length === 0);
          })
          const rows = yield* sql`UPDATE till_charges SET attempts = 7 WHERE key = 'before' RETURNING key`
          return { migrated, rows }
        })
      )
    })
  )
  expect(written.rows).toHaveLength(1)
  const { entries, totals } = await Effect.runPromise(Fiber.join(written.migrated))
  expect(totals).toEqual(entries)
})
