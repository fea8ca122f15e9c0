/*
 * What a till's storage costs as it grows: the time of each read and sweep, and how long it blocks the event loop, with
 * 10 thousand, 100 thousand and a million charges of ten days.
 *
 *   npm run bench -- scale [--counts 10000,100000,1000000] [--stores SQLite,PostgreSQL] [--only payments]
 *     [--json FILE]
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { DatabaseSync } from "node:sqlite"
import { parseArgs } from "node:util"
import {
  Chain,
  ChargeOperator,
  Charges,
  LedgerOperator,
  type NewCharge,
  Orders,
  Quotes,
  type Stores,
  VaultPurchases
} from "@till402/core/effect"
import { postgres } from "@till402/core/postgres"
import { sqlite } from "@till402/core/sqlite"
import { type Postgres, startPostgres } from "@till402/test-postgres"
import { Effect, Layer, ManagedRuntime } from "effect"
import { FetchHttpClient } from "effect/http"
import { asset, backlog, dayMillis, days, fillOf, network, payTo } from "./scaleFill.ts"

const { values: options } = parseArgs({
  options: {
    counts: { type: "string", default: "10000,100000,1000000" },
    stores: { type: "string", default: "SQLite,PostgreSQL" },
    only: { type: "string", default: "" },
    json: { type: "string" }
  }
})

type Services = Stores | LedgerOperator | ChargeOperator
type Storage = Layer.Layer<Stores, unknown>

/** An operation, and how often it is measured; the median counts. */
interface Row {
  readonly name: string
  readonly times: number
  readonly run: (nowMillis: number) => Effect.Effect<unknown, unknown, Services>
}

const newCharge = (number: number, nowMillis: number): NewCharge => ({
  key: `${network}:${asset}:0xbench:${number}`,
  payloadDigest: `digest-${number}`,
  fingerprint: `fingerprint-${number}`,
  operation: "search",
  network,
  asset,
  payer: `0x${String(number % 500).padStart(40, "0")}`,
  payTo,
  amountAtomic: "10000",
  validBeforeSeconds: Math.floor(nowMillis / 1000) + 900,
  x402Version: 2,
  settlement: "",
  exposureAtomic: "0",
  settlesFirst: false,
  createdAtMillis: nowMillis,
  claimedAfterBlock: ""
})

const response = {
  status: 200,
  contentType: "application/json",
  body: { _tag: "Plain", text: "a page of results ".repeat(50) }
} as const

let paid = 0

/** What a paid call does in the store. */
const pay = Effect.fnUntraced(function* (nowMillis: number) {
  const charges = yield* Charges
  const number = paid++
  const charge = newCharge(number, nowMillis)
  const lease = { owner: "bench", untilMillis: nowMillis + 180_000 }
  const limits = { maxUnsettled: 10_000, maxExposureAtomic: "1000000000" }
  yield* charges.claim(charge, lease, nowMillis, limits)
  yield* charges.payerActivity(charge, nowMillis - dayMillis, nowMillis)
  yield* charges.advance(charge.key, "bench", { response, subject: undefined })
  const transaction = `0xbench${number}`
  yield* charges.complete(
    charge.key,
    {
      receipt: { success: true, network, payer: charge.payer, transaction },
      transferLogIndex: 1,
      refundDue: false,
      finalAfterMillis: undefined,
      responseOwedUntilMillis: undefined
    },
    nowMillis
  )
})

const payments = 4_000

const span = (nowMillis: number, length: number) => ({
  from: new Date(nowMillis - length),
  to: new Date(nowMillis)
})

const allRows: ReadonlyArray<Row> = [
  ...[1, 7].map((length): Row => ({
    name: length === 1 ? "ledger.check, a day" : `ledger.check, ${length} days`,
    times: 1,
    run: (nowMillis) => LedgerOperator.use((ledger) => ledger.check(span(nowMillis, length * dayMillis)))
  })),
  {
    name: "ledger.totals, all time",
    times: 5,
    run: () => LedgerOperator.use((ledger) => ledger.totals({ from: new Date(0), to: new Date(8e15) }))
  },
  {
    name: "ledger.totals, 7 days to the minute",
    times: 3,
    run: (nowMillis) => LedgerOperator.use((ledger) => ledger.totals(span(nowMillis, 7 * dayMillis)))
  },
  {
    name: "ledger.list, 500 entries",
    times: 5,
    run: () => LedgerOperator.use((ledger) => ledger.list({ limit: 500 }))
  },
  {
    name: "charges.list, 50 charges",
    times: 5,
    run: () => ChargeOperator.use((charges) => charges.list({ limit: 50 }))
  },
  {
    name: "orders.list, 50 delivered",
    times: 5,
    run: () => Orders.use((orders) => orders.list({ limit: 50, status: "delivered" }))
  },
  {
    name: "sweep: charges that are due",
    times: 5,
    run: (nowMillis) =>
      Charges.use((charges) =>
        Effect.all([charges.unfinished(nowMillis, 100), charges.voidedDue(nowMillis, 1_000)])
      )
  },
  {
    name: "sweep: refunds due, 100",
    times: 5,
    run: () => Charges.use((charges) => charges.list({ isRefundDue: true, limit: 100 }))
  },
  {
    name: "sweep: orders to forget, none",
    times: 5,
    run: (nowMillis) => Orders.use((orders) => orders.forget(nowMillis - 90 * dayMillis, 200))
  },
  {
    name: "sweep: purchases to forget, none",
    times: 5,
    run: (nowMillis) => VaultPurchases.use((purchases) => purchases.forget(nowMillis - 90 * dayMillis, 200))
  },
  {
    name: "sweep: quotes to expire, none",
    times: 5,
    run: (nowMillis) => Quotes.use((quotes) => quotes.expire(nowMillis - 2 * days * dayMillis, 200))
  },
  {
    name: "sweep: refused payments cleared",
    times: 1,
    run: (nowMillis) =>
      Charges.use((charges) =>
        Effect.flatMap(charges.voidedDue(nowMillis + 2 * dayMillis, 1_000), (voided) =>
          charges.releaseVoided(
            voided.map(({ key }) => key),
            nowMillis
          )
        )
      )
  },
  {
    name: "sweep: 200 responses expire",
    times: 3,
    run: (nowMillis) => Charges.use((charges) => charges.expire(nowMillis - 2 * dayMillis, 200))
  },
  {
    name: `${payments} payments, 64 at a time`,
    times: 1,
    run: () =>
      Effect.forEach(
        Array.from({ length: payments }, (_, number) => number),
        () => Effect.suspend(() => pay(Date.now())),
        { concurrency: 64, discard: true }
      )
  }
]

const rows = allRows.filter(({ name }) => name.includes(options.only))

interface Cell {
  readonly millis: number
  /** The longest that other work had to wait for the event loop. */
  readonly blockedMillis: number
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1]!
const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const measure = async (
  runtime: ManagedRuntime.ManagedRuntime<Services, unknown>,
  { run, times }: Row,
  nowMillis: number
): Promise<Cell> => {
  const millis: Array<number> = []
  const delay = monitorEventLoopDelay({ resolution: 1 })
  for (let time = 0; time < times; time++) {
    delay.enable()
    await pause(5)
    const startedAt = performance.now()
    await runtime.runPromise(run(nowMillis))
    millis.push(performance.now() - startedAt)
    await pause(5)
    delay.disable()
  }
  return { millis: median(millis), blockedMillis: Math.max(0, delay.max / 1e6 - 1) }
}

/** Stores with so many charges in them. */
const filled = {
  SQLite: async (count: number, nowMillis: number, folder: string): Promise<Storage> => {
    const filename = join(folder, `${count}.sqlite`)
    await Effect.runPromise(Effect.scoped(Layer.build(sqlite({ filename }))))
    const database = new DatabaseSync(filename)
    database.exec("PRAGMA synchronous = OFF")
    for (const statement of fillOf("sqlite", count, nowMillis)) database.exec(statement)
    database.close()
    // Otherwise the first checkpoint waits until the disk has all of it.
    const file = openSync(filename, "r+")
    fsyncSync(file)
    closeSync(file)
    return sqlite({ filename })
  },
  PostgreSQL: async (count: number, nowMillis: number, _: string, cluster?: Postgres): Promise<Storage> => {
    if (cluster === undefined) throw new Error("no PostgreSQL was started")
    const url = await cluster.createDatabase()
    await Effect.runPromise(Effect.scoped(Layer.build(postgres({ url }))))
    await cluster.execute(url, fillOf("postgres", count, nowMillis))
    return postgres({ url })
  }
}

/** No chain is read here. */
const noChain = Chain.layerRpc([]).pipe(Layer.provide(FetchHttpClient.layer))

const shown = (millis: number): string => (millis < 10 ? millis.toFixed(1) : millis.toFixed(0))

const table = async (name: keyof typeof filled, counts: ReadonlyArray<number>, folder: string) => {
  const cluster = name === "PostgreSQL" ? await startPostgres({ durable: true }) : undefined
  const columns: Array<ReadonlyArray<Cell>> = []
  try {
    for (const count of counts) {
      const nowMillis = Date.now()
      const stores = await filled[name](count, nowMillis, folder, cluster)
      const operators = Layer.mergeAll(LedgerOperator.layer([]), ChargeOperator.layer)
      const runtime = ManagedRuntime.make(operators.pipe(Layer.provideMerge(stores), Layer.provide(noChain)))
      try {
        // Opening the store loads modules, which is no part of the first operation.
        await runtime.runPromise(Effect.void)
        const cells: Array<Cell> = []
        for (const row of rows) cells.push(await measure(runtime, row, nowMillis))
        columns.push(cells)
      } finally {
        await runtime.dispose()
      }
    }
  } finally {
    await cluster?.stop()
  }
  console.log(`\n${name.padEnd(40)}${counts.map((count) => `${count}`.padStart(22)).join("")}`)
  for (const [index, { name: row }] of rows.entries()) {
    const cells = columns.map((cell) => {
      const { blockedMillis, millis } = cell[index]!
      return `${shown(millis)} (${shown(blockedMillis)})`.padStart(22)
    })
    console.log(row.padEnd(40) + cells.join(""))
  }
  return {
    store: name,
    counts,
    rows: rows.map((row, index) => ({ name: row.name, cells: columns.map((cells) => cells[index]) }))
  }
}

const counts = options.counts.split(",").map(Number)
const names = options.stores.split(",")
const folder = mkdtempSync(join(tmpdir(), "till402-bench-"))
console.log(
  `Charges of ${days} days, ${backlog} old responses; milliseconds (longest block of the event loop); Node ${process.version}`
)
const tables: Array<unknown> = []
try {
  for (const name of ["SQLite", "PostgreSQL"] as const)
    if (names.includes(name)) tables.push(await table(name, counts, folder))
} finally {
  rmSync(folder, { recursive: true })
}
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify({ node: process.version, tables }, null, 2)}\n`)
