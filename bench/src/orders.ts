/*
 * Paid orders drained by a till: how near it comes to what the upstream can take, and what the queue itself costs for
 * each order. The upstream is a fake that works on 16 orders at a time.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type Order, Till } from "@till402/core"
import { Orders } from "@till402/core/effect"
import { fakeFacilitator } from "@till402/testing"
import { Effect, ManagedRuntime } from "effect"
import type { Bench } from "./Bench.ts"
import type { Database, Engine, EngineName } from "./databases.ts"
import { payTo } from "./payments.ts"

/** Orders that the upstream works on at a time. */
const concurrency = 16
/** Milliseconds that it takes for each; 0: it responds at once. */
const delays = [0, 20]
const patienceMillis = 300_000

const dollars = (atomic: bigint) => ({ atomic, currency: "USD" })

/** A paid order that nobody has placed yet; its id ends in its number. */
const queued = (number: number, nowMillis: number): Order => ({
  id: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
  chargeKey: `eip155:84532:0xasset:0xpayer:${number}`,
  status: "processing",
  product: { source: "marketplace_a", asin: "B0BENCH000", productUrl: undefined },
  shippingAddress: {
    name: "Ada Lovelace",
    line1: "12 Analytical Way",
    city: "San Francisco",
    state: "CA",
    postalCode: "94105",
    country: "US"
  },
  email: "ada@example.com",
  offer: {
    product: { title: "A thing of the benchmark", price: dollars(19_990_000n) },
    subtotal: dollars(19_990_000n),
    tax: dollars(1_450_000n),
    shipping: dollars(6_990_000n),
    total: dollars(28_430_000n),
    reference: `Q-${number}`,
    expiresAtMillis: nowMillis + 600_000
  },
  upstreamReference: undefined,
  shipments: [],
  reason: undefined,
  attempts: 0,
  stepAtMillis: nowMillis,
  mails: [],
  dueAtMillis: nowMillis,
  version: 1,
  createdAtMillis: nowMillis,
  updatedAtMillis: nowMillis,
  timeline: [{ status: "processing", atMillis: nowMillis }]
})

/** Places one order after another, `concurrency` at a time. */
const makeUpstream = (millis: number) => {
  const waiting: Array<() => void> = []
  let busy = 0
  const placed = new Set<string>()
  return {
    placed,
    place: async ({ orderId }: { readonly orderId: string }): Promise<{ readonly reference: string }> => {
      if (busy < concurrency) busy += 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      if (millis > 0) await sleep(millis)
      const next = waiting.shift()
      if (next === undefined) busy -= 1
      else next()
      if (placed.has(orderId)) throw new Error(`order ${orderId} was placed twice`)
      placed.add(orderId)
      return { reference: `SO-${orderId}` }
    }
  }
}

const fill = Effect.fnUntraced(function* (count: number) {
  const orders = yield* Orders
  const nowMillis = Date.now()
  yield* Effect.forEach(
    Array.from({ length: count }, (_, number) => number),
    (number) => orders.create(queued(number, nowMillis)),
    { concurrency: 100, discard: true }
  )
})

/** Seconds, and those of this process alone, until a till over the database has placed all that is in it. */
const drain = async (database: Database, count: number, millis: number) => {
  const { promise: drained, reject, resolve } = Promise.withResolvers<void>()
  const { place, placed } = makeUpstream(millis)
  const deadline = setTimeout(() => reject(new Error(`only ${placed.size} were placed`)), patienceMillis)
  let finished = 0
  let startedAt: number | undefined
  let cpuAt: NodeJS.CpuUsage | undefined
  const till = Till.make({
    baseUrl: "http://localhost",
    payTo,
    networks: ["base-sepolia"],
    facilitator: fakeFacilitator(),
    trustFacilitator: true,
    secret: "a secret of the benchmark, known to all",
    storage: database.open(),
    fulfilment: { quote: () => Promise.reject(new Error("nothing is quoted here")), place },
    onOrderChange: ({ order: { status } }) => {
      startedAt ??= performance.now()
      cpuAt ??= process.cpuUsage()
      if (status === "placed") finished += 1
      if (finished === count) resolve()
    }
  })
  try {
    await till.ready
    await drained
    const { system, user } = process.cpuUsage(cpuAt)
    return { seconds: (performance.now() - startedAt!) / 1_000, cpuSeconds: (system + user) / 1_000_000 }
  } finally {
    clearTimeout(deadline)
    await till.dispose()
  }
}

export const measureOrders = async (
  bench: Bench,
  name: EngineName,
  { create }: Engine,
  count: number
): Promise<void> => {
  const place = `${name}, ${count} queued orders`
  if (!bench.wants(place)) return
  bench.table(`${place}; an upstream that takes ${concurrency} at a time`, [
    "orders/s",
    "upstream/s",
    "cpu of each"
  ])
  for (const millis of delays) {
    const database = await create()
    const runtime = ManagedRuntime.make(database.open())
    await runtime.runPromise(fill(count))
    await runtime.dispose()
    const { cpuSeconds, seconds } = await drain(database, count, millis)
    bench.row(`orders, ${millis === 0 ? "placed at once" : `${millis} ms each`}`, [
      (count / seconds).toFixed(0),
      millis === 0 ? "-" : String((concurrency * 1_000) / millis),
      `${((cpuSeconds / count) * 1e6).toFixed(0)} µs`
    ])
  }
}
