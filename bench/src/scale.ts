/*
 * What a till's storage costs as it grows: the time of each read and sweep, and how long it blocks the event loop.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
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
import { Effect, Layer, ManagedRuntime } from "effect"
import { FetchHttpClient } from "effect/http"
import type { Bench } from "./Bench.ts"
import type { Engine, EngineName } from "./databases.ts"
import { median } from "./quantile.ts"
import { asset, backlog, dayMillis, days, fillOf, network, payTo } from "./scaleFill.ts"

type Services = Stores | LedgerOperator | ChargeOperator

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
  repeatKey: "",
  paymentId: "",
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

const rows: ReadonlyArray<Row> = [
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

interface Cell {
  readonly millis: number
  /** The longest that other work had to wait for the event loop. */
  readonly blockedMillis: number
}

const measure = async (
  runtime: ManagedRuntime.ManagedRuntime<Services, unknown>,
  { run, times }: Row,
  nowMillis: number
): Promise<Cell> => {
  const millis: Array<number> = []
  const delay = monitorEventLoopDelay({ resolution: 1 })
  for (let time = 0; time < times; time++) {
    delay.enable()
    await sleep(5)
    const startedAt = performance.now()
    await runtime.runPromise(run(nowMillis))
    millis.push(performance.now() - startedAt)
    await sleep(5)
    delay.disable()
  }
  return { millis: median(millis), blockedMillis: Math.max(0, delay.max / 1e6 - 1) }
}

/** No chain is read here. */
const noChain = Chain.layerRpc([]).pipe(Layer.provide(FetchHttpClient.layer))

/** Measures the rows over a database of so many charges. */
const measureAll = async (
  name: EngineName,
  { create }: Engine,
  count: number,
  wanted: ReadonlyArray<Row>
): Promise<ReadonlyArray<Cell>> => {
  const nowMillis = Date.now()
  const database = await create()
  await Effect.runPromise(Effect.scoped(Layer.build(database.open())))
  await database.execute(fillOf(name === "SQLite" ? "sqlite" : "postgres", count, nowMillis))
  const operators = Layer.mergeAll(LedgerOperator.layer([]), ChargeOperator.layer)
  const runtime = ManagedRuntime.make(
    operators.pipe(Layer.provideMerge(database.open()), Layer.provide(noChain))
  )
  try {
    // Opening the store loads modules, which is no part of the first operation.
    await runtime.runPromise(Effect.void)
    const cells: Array<Cell> = []
    for (const row of wanted) cells.push(await measure(runtime, row, nowMillis))
    return cells
  } finally {
    await runtime.dispose()
  }
}

const shown = (millis: number): string => (millis < 10 ? millis.toFixed(1) : millis.toFixed(0))

export const measureCharges = async (
  bench: Bench,
  name: EngineName,
  engine: Engine,
  counts: ReadonlyArray<number>
): Promise<void> => {
  const wanted = rows.filter((row) => bench.wants(`${name}, ${row.name}`))
  if (wanted.length === 0) return
  const columns: Array<ReadonlyArray<Cell>> = []
  for (const count of counts) columns.push(await measureAll(name, engine, count, wanted))
  bench.table(
    `${name}: charges of ${days} days, ${backlog} old responses; milliseconds (longest block of the event loop)`,
    counts.map(String)
  )
  for (const [index, row] of wanted.entries())
    bench.row(
      `${name}, ${row.name}`,
      columns.map((cells) => {
        const { blockedMillis, millis } = cells[index]!
        return `${shown(millis)} (${shown(blockedMillis)})`
      })
    )
}
