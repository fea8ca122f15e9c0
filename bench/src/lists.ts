/*
 * What an operator waits for: each list of the console and the command, with its filters and later pages, by the public
 * calls of a till's books.
 */
import { type Books, Till } from "@till402/core"
import { Effect, Layer } from "effect"
import type { Bench } from "./Bench.ts"
import type { Engine, EngineName } from "./databases.ts"
import { quantile } from "./quantile.ts"
import { dayMillis, fillOf } from "./scaleFill.ts"

const goalMillis = 20
const times = 41
const limit = 50

/** A payer of orders, and one of calls alone. */
const payer = `0x${"2".padStart(40, "0")}`
const caller = `0x${"7".padStart(40, "0")}`
const email = "ada@example.com"

type Calls = Pick<Books, "charges" | "orders" | "vault" | "refunds" | "ledger">

interface List {
  readonly name: string
  /** Prepares a page, outside of the measured time. */
  readonly page: (calls: Calls, nowMillis: number) => Promise<() => Promise<unknown>>
}

const list = (name: string, read: (calls: Calls, nowMillis: number) => Promise<unknown>): List => ({
  name,
  page: async (calls, nowMillis) => () => read(calls, nowMillis)
})

/** A page in the middle of the ten days that are stored. */
const middle = (nowMillis: number) => ({ createdAt: new Date(nowMillis - 5 * dayMillis), key: "~" })

const lists: ReadonlyArray<List> = [
  list("charges", ({ charges }) => charges.list({ limit })),
  list("charges, a later page", ({ charges }, now) => charges.list({ limit, before: middle(now) })),
  ...(["claimed", "ready", "settled", "voided"] as const).map((state) =>
    list(`charges, ${state}, a later page`, ({ charges }, now) =>
      charges.list({ limit, state, before: middle(now) })
    )
  ),
  list("charges, of a payer", ({ charges }) => charges.list({ limit, payer })),
  list("charges, of a payer, a later page", ({ charges }, now) =>
    charges.list({ limit, payer, before: middle(now) })
  ),
  list("charges, of a transaction", ({ charges }) =>
    charges.list({ limit, transaction: `0x${(500_000).toString(16).padStart(64, "0")}` })
  ),
  list("charges, of a payment's id", ({ charges }) => charges.list({ limit, paymentId: "payment-2" })),
  list("refunds due", ({ refunds }) => refunds.due({ limit })),
  list("orders", ({ orders }) => orders.list({ limit })),
  list("orders, delivered", ({ orders }) => orders.list({ limit, status: "delivered" })),
  list("orders, needs_operator", ({ orders }) => orders.list({ limit, status: "needs_operator" })),
  list("orders, of an email, a later page", ({ orders }) =>
    orders.list({ limit, email, before: "order-1000" })
  ),
  list("orders, of an item", ({ orders }) => orders.list({ limit, item: "B0BENCH000" })),
  list("orders, of a payer", ({ orders }) => orders.list({ limit, payer })),
  list("orders, of a payer without any", ({ orders }) => orders.list({ limit, payer: caller })),
  list("purchases", ({ vault }) => vault.purchases({ limit })),
  list("purchases, of an email", ({ vault }) => vault.purchases({ limit, email })),
  list("purchases, of a payer without any", ({ vault }) => vault.purchases({ limit, payer })),
  list("ledger", ({ ledger }) => ledger.list({ limit })),
  {
    name: "ledger, a day, a later page",
    page: async ({ ledger }, nowMillis) => {
      const span = { from: new Date(nowMillis - 6 * dayMillis), to: new Date(nowMillis - 5 * dayMillis) }
      const before = (await ledger.list({ limit: 200, ...span })).at(-1)!
      return () => ledger.list({ limit, ...span, before })
    }
  },
  list("export of the ledger, its first 200 entries", async ({ ledger }) => {
    const pieces = ledger.export({ format: "csv" })
    await pieces.next()
    await pieces.next()
    await pieces.return?.()
  }),
  list("export of orders, its first 200", async ({ orders }) => {
    const pieces = orders.export({ format: "csv" })
    await pieces.next()
    await pieces.next()
    await pieces.return?.()
  })
]

const measure = async (read: () => Promise<unknown>): Promise<ReadonlyArray<number>> => {
  const millis: Array<number> = []
  for (let time = 0; time < times; time++) {
    const startedAt = performance.now()
    await read()
    millis.push(performance.now() - startedAt)
  }
  return millis
}

/** Measures lists over a database of so many charges, and a tenth as many orders and purchases. */
export const measureLists = async (
  bench: Bench,
  name: EngineName,
  { create }: Engine,
  count: number
): Promise<void> => {
  const rowOf = (each: List) => `${name}, list: ${each.name}`
  const wanted = lists.filter((each) => bench.wants(rowOf(each)))
  if (wanted.length === 0) return
  const nowMillis = Date.now()
  const database = await create()
  await Effect.runPromise(Effect.scoped(Layer.build(database.open())))
  await database.execute(fillOf(name === "SQLite" ? "sqlite" : "postgres", count, nowMillis))
  const books = Till.books({ storage: database.open() })
  try {
    await books.ready
    bench.table(`${name}: pages of ${limit} among ${count} charges; milliseconds`, ["p50", "p95"])
    for (const each of wanted) {
      const millis = await measure(await each.page(books, nowMillis))
      const [p50, p95] = [quantile(millis, 0.5), quantile(millis, 0.95)]
      bench.row(
        rowOf(each),
        [p50, p95].map((value) => value.toFixed(1))
      )
      bench.promise(
        p50 < goalMillis,
        `${rowOf(each)}: p50 is ${p50.toFixed(1)} ms, and not below ${goalMillis}`
      )
    }
  } finally {
    await books.dispose()
  }
}
