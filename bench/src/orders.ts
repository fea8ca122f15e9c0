/*
 * 10,000 paid orders drained by a till: how near it comes to what the upstream can take, what the queue itself
 * costs for each order, and whether memory stays flat meanwhile. The upstream is a fake that works on 16 orders
 * at a time, for so many milliseconds each.
 *
 *   npm run bench -- orders [--json FILE]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { memory, type Order, Till, type TillOptions } from "@till402/core"
import { Orders, type Stores } from "@till402/core/effect"
import { sqlite } from "@till402/core/sqlite"
import { Effect, Layer, ManagedRuntime } from "effect"
import { payTo } from "./payments.ts"
import { fakeFacilitator } from "./servers.ts"
import { type Upstream, upstream, upstreamConcurrency } from "./upstream.ts"

const count = 10_000
const delays = [0, 2, 20]
/** Shares of the orders at which the heap is looked at. */
const shares = [0.1, 0.5, 1]
/** More than this between the first look and the last is a leak: some 800 bytes for each order. */
const maxGrowthBytes = 8 * 1_048_576
const patienceMillis = 300_000

const { values: options } = parseArgs({ options: { json: { type: "string" } } })
const collect = globalThis.gc
if (collect === undefined) throw new Error("Start this with --expose-gc: it looks at the heap.")

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
  updatedAtMillis: nowMillis
})

const fill = Effect.gen(function* () {
  const orders = yield* Orders
  const nowMillis = Date.now()
  yield* Effect.forEach(
    Array.from({ length: count }, (_, number) => number),
    (number) => orders.create(queued(number, nowMillis)),
    { concurrency: 256, discard: true }
  )
})

type Storage = TillOptions["storage"]

/** A storage with the orders in it. Its stores stay as they are for the till that is opened over it. */
const filled = {
  memory: async (): Promise<Storage> => {
    const stores = await Effect.runPromise(Effect.scoped(Layer.build(memory())))
    await Effect.runPromise(Effect.provide(fill, stores))
    return Layer.succeedContext(stores)
  },
  SQLite: async (folder: string): Promise<Storage> => {
    const filename = join(folder, `${crypto.randomUUID()}.sqlite`)
    const runtime = ManagedRuntime.make(sqlite({ filename }) satisfies Layer.Layer<Stores, unknown>)
    await runtime.runPromise(fill)
    await runtime.dispose()
    return sqlite({ filename })
  }
}

interface Drained {
  readonly seconds: number
  /** Of this process, its own work alone. */
  readonly cpuSeconds: number
  /** Of the heap after a collection, at each of `shares`. */
  readonly heapBytes: ReadonlyArray<number>
}

/** Opens a till over the storage, and waits until its worker has placed all that is in it. */
const drain = async (storage: Storage, { place }: Upstream): Promise<Drained> => {
  const { promise: drained, reject, resolve } = Promise.withResolvers<void>()
  const looksAt = shares.map((share) => Math.round(share * count))
  const heapBytes: Array<number> = []
  let placed = 0
  let lookingMillis = 0
  let startedAt: number | undefined
  let cpuAt: NodeJS.CpuUsage | undefined
  const look = (): void => {
    const lookedAt = performance.now()
    collect()
    heapBytes.push(process.memoryUsage().heapUsed)
    lookingMillis += performance.now() - lookedAt
  }
  const deadline = setTimeout(() => reject(new Error(`only ${placed} were placed`)), patienceMillis)
  const till = Till.make({
    baseUrl: "http://localhost",
    payTo,
    networks: ["base-sepolia"],
    facilitator: fakeFacilitator(false),
    trustFacilitator: true,
    secret: "a secret of the benchmark, known to all",
    storage,
    fulfilment: { quote: () => Promise.reject(new Error("nothing is quoted here")), place },
    onOrderChange: ({ order: { status } }) => {
      startedAt ??= performance.now()
      cpuAt ??= process.cpuUsage()
      if (status !== "placed") return
      placed += 1
      if (looksAt.includes(placed)) look()
      if (placed === count) resolve()
    }
  })
  try {
    await till.ready
    await drained
    const endedAt = performance.now()
    const { system, user } = process.cpuUsage(cpuAt)
    return {
      seconds: (endedAt - startedAt! - lookingMillis) / 1_000,
      cpuSeconds: (system + user) / 1_000_000 - lookingMillis / 1_000,
      heapBytes
    }
  } finally {
    clearTimeout(deadline)
    await till.dispose()
  }
}

interface Row {
  readonly storage: keyof typeof filled
  /** The upstream's time per order; 0: it responds at once. */
  readonly upstreamMillis: number
  readonly ordersPerSecond: number
  /** What the upstream alone takes, with as many callers as it works on at a time; `null`: any number. */
  readonly upstreamPerSecond: number | null
  readonly ratio: number | null
  /** Of time on the clock, beyond what the upstream alone takes for so many orders. */
  readonly overheadMicros: number
  readonly cpuMicros: number
  readonly heapBytes: ReadonlyArray<number>
}

const measure = async (name: keyof typeof filled, upstreamMillis: number, folder: string): Promise<Row> => {
  const alone = upstream(count, upstreamMillis)
  const upstreamSeconds = await alone.alone()
  const storage = await filled[name](folder)
  const fake = upstream(count, upstreamMillis)
  const { cpuSeconds, heapBytes, seconds } = await drain(storage, fake)
  const wrong = fake.placements.findIndex((times) => times !== 1)
  if (wrong >= 0) throw new Error(`order ${wrong} was placed ${fake.placements[wrong]} times`)
  const growth = heapBytes.at(-1)! - heapBytes[0]!
  if (growth > maxGrowthBytes) throw new Error(`the heap grew by ${mebibytes(growth)} MiB: ${name}`)
  const micros = (value: number) => Math.round((value / count) * 1e7) / 10
  return {
    storage: name,
    upstreamMillis,
    ordersPerSecond: Math.round(count / seconds),
    upstreamPerSecond: upstreamMillis === 0 ? null : Math.round(count / upstreamSeconds),
    ratio: upstreamMillis === 0 ? null : Math.round((upstreamSeconds / seconds) * 1_000) / 1_000,
    overheadMicros: micros(seconds - upstreamSeconds),
    cpuMicros: micros(cpuSeconds),
    heapBytes
  }
}

const mebibytes = (bytes: number): string => (bytes / 1_048_576).toFixed(1)

const line = (first: string, cells: ReadonlyArray<string>): void =>
  console.log(first.padEnd(28) + cells.map((cell) => cell.padStart(12)).join(""))

const show = (row: Row): void =>
  line(`${row.storage}, ${row.upstreamMillis === 0 ? "at once" : `${row.upstreamMillis} ms each`}`, [
    String(row.ordersPerSecond),
    String(row.upstreamPerSecond ?? "-"),
    row.ratio?.toFixed(2) ?? "-",
    `${row.overheadMicros.toFixed(0)} µs`,
    `${row.cpuMicros.toFixed(0)} µs`,
    ...row.heapBytes.map(mebibytes)
  ])

console.log(
  `${count} queued orders; an upstream that takes ${upstreamConcurrency} at a time; Node ${process.version}`
)
console.log("overhead: for each order, beyond the upstream's own time; heap in MiB after a collection\n")
line("", [
  "orders/s",
  "upstream/s",
  "ratio",
  "overhead",
  "cpu",
  ...shares.map((share) => `at ${share * 100} %`)
])
const folder = mkdtempSync(join(tmpdir(), "till402-bench-"))
const rows: Array<Row> = []
try {
  for (const name of ["memory", "SQLite"] as const) {
    for (const millis of delays) {
      const row = await measure(name, millis, folder)
      rows.push(row)
      show(row)
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}
if (options.json !== undefined) {
  const report = { orders: count, upstreamConcurrency, node: process.version, heapAt: shares, rows }
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
}
