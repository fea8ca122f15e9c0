/*
 * Paid calls where the charge is on the disk before the money moves, against the official middleware,
 * which keeps nothing; both before the same facilitator. And what a paid call costs of our own.
 *
 *   npm run bench -- durable
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { memory, Till, type TillOptions } from "@till402/core"
import { postgres } from "@till402/core/postgres"
import { sqlite } from "@till402/core/sqlite"
import { till402 } from "@till402/hono"
import { startPostgres } from "@till402/test-postgres"
import { ExactEvmScheme } from "@x402/evm/exact/server"
import { paymentMiddleware, x402ResourceServer } from "@x402/hono"
import { Hono } from "hono"
import { compareLatencies } from "./latencies.ts"
import { load, median, paidHeaders } from "./load.ts"
import { network, payTo } from "./payments.ts"
import {
  type Contender,
  fakeFacilitator,
  inProcess,
  nothing,
  type OfficialClient,
  page,
  routes,
  startFacilitator
} from "./servers.ts"
import { keyNamed, signPayment } from "./signing.ts"

type Storage = TillOptions["storage"]

const ours = async (storage: Storage, facilitator: TillOptions["facilitator"]): Promise<Contender> => {
  const till = Till.make({
    baseUrl: "http://localhost",
    payTo,
    networks: ["base-sepolia"],
    facilitator,
    trustFacilitator: true,
    secret: "a secret of the benchmark, known to all",
    storage,
    marketplaces: { marketplace_a: { search: async () => page } },
    limits: { unverified: 8_000, unsettled: 8_000, unsettledPerPayer: 10_000 },
    onEvent: () => undefined
  })
  await till.ready
  return inProcess(new Hono().use(till402(till)), till.dispose)
}

const official = (client: OfficialClient): Contender =>
  inProcess(
    new Hono()
      .use(paymentMiddleware(routes, new x402ResourceServer(client).register(network, new ExactEvmScheme())))
      .get("/x402/search", (context) => context.json(page)),
    nothing
  )

const rounds = 5
const count = 400
/** Before the first round: so many calls until a server of either side is as fast as it will be. */
const warmUpCalls = 3_000

type HeadersFor = (contender: Contender, amount: number) => Promise<ReadonlyArray<Record<string, string>>>

/** Median payments per second of each, measured in turns. */
const compare = async (
  contenders: ReadonlyArray<Contender>,
  headersFor: HeadersFor
): Promise<ReadonlyArray<number>> => {
  const rates = contenders.map((): Array<number> => [])
  for (let round = 0; round <= rounds; round++)
    for (const [index, contender] of contenders.entries()) {
      const amount = round === 0 ? warmUpCalls : count
      const rate = await load(contender, 200, await headersFor(contender, amount))
      // The first round warms up.
      if (round > 0) rates[index]!.push(rate)
    }
  return rates.map(median)
}

const row = (name: string, cells: ReadonlyArray<string>): void => {
  console.log(name.padEnd(58) + cells.map((cell) => cell.padStart(10)).join(""))
}

const compareRow = async (
  name: string,
  [mine, theirs]: readonly [Contender, Contender],
  headersFor: HeadersFor
): Promise<void> => {
  const [ourRate, officialRate] = await compare([mine, theirs], headersFor)
  row(name, [ourRate!.toFixed(0), officialRate!.toFixed(0), (ourRate! / officialRate!).toFixed(2)])
}

const payer = keyNamed("payer")
const unique: HeadersFor = (contender, amount) =>
  paidHeaders(
    contender,
    (accepted, resource) =>
      Array.from({ length: amount }, () => signPayment({ accepts: [accepted], resource }, payer)),
    amount
  )

/** Repeats the same payment: ours replays the recorded response, the other runs the handler again. */
const replays: HeadersFor = async (contender, amount) => {
  const [header] = await unique(contender, 1)
  await contender.call("/x402/search?q=mouse", header)
  return Array.from({ length: amount }, () => header!)
}

/** Milliseconds of single paid calls, one after the other, with a facilitator that costs nothing. */
const overhead = async (name: string, storage: Storage): Promise<void> => {
  const contender = await ours(storage, fakeFacilitator(false))
  await load(contender, 200, await unique(contender, warmUpCalls))
  const millis: Array<number> = []
  for (const header of await unique(contender, 1_000)) {
    const started = performance.now()
    await contender.call("/x402/search?q=mouse", header)
    millis.push(performance.now() - started)
  }
  await contender.stop()
  const sorted = millis.toSorted((left, right) => left - right)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(2)
  row(`own overhead of a paid call, ${name}: p50, p99 in ms`, [at(0.5), at(0.99)])
}

const folder = mkdtempSync(join(tmpdir(), "till402-bench-"))
let files = 0
const file = (): Storage => sqlite({ filename: join(folder, `${++files}.sqlite`) })

console.log(
  `Till402 with durable charges (SQLite) against @x402/hono, which keeps none; Node ${process.version}`
)
console.log(`paid calls per second, unique valid payments, median of ${rounds} rounds of ${count}\n`)
row("", ["Till402", "official", "ratio"])
for (const [kind, how] of [
  ["verifying", "verifying signatures"],
  ["native", "verifying by a C library"],
  ["instant", "responding at once"]
] as const) {
  const facilitator = await startFacilitator(kind)
  const mine = await ours(file(), facilitator.ours)
  const theirs = official(facilitator.official)
  await compareRow(`facilitator over HTTP, ${how}`, [mine, theirs], unique)
  const inMemory = await ours(memory(), facilitator.ours)
  await compareRow("the same, charges in memory", [inMemory, theirs], unique)
  await inMemory.stop()
  if (kind === "verifying")
    await compareRow("replays of one payment, same facilitator", [mine, theirs], replays)
  await mine.stop()
  facilitator.stop()
}
for (const verifies of [true, false]) {
  const client = fakeFacilitator(verifies)
  const mine = await ours(file(), client)
  const how = verifies ? "verifying signatures" : "responding at once"
  await compareRow(
    `facilitator in process, ${how}`,
    [mine, official(client as unknown as OfficialClient)],
    unique
  )
  await mine.stop()
}

console.log("\nfacilitator over HTTP: verifies in 60 ms, settles in 600 ms")
row("", ["Till402", "official", "ratio"])
const realistic = await startFacilitator("realistic")
const waiting = [await ours(file(), realistic.ours), official(realistic.official)]
for (const callers of [32, 256, 1_000]) {
  const [mine, theirs] = await compareLatencies(waiting, callers)
  for (const [name, figure] of [
    ["calls per second", "rate"],
    ["p99 in ms", "p99"]
  ] as const) {
    const [ourFigure, officialFigure] = [mine![figure], theirs![figure]]
    row(`${callers} callers at once: ${name}`, [
      ourFigure.toFixed(0),
      officialFigure.toFixed(0),
      (ourFigure / officialFigure).toFixed(2)
    ])
  }
}
for (const { stop } of waiting) await stop()
realistic.stop()

console.log("")
await overhead("memory", memory())
await overhead("SQLite", file())
const database = await startPostgres({ durable: true })
await overhead("PostgreSQL", postgres({ url: await database.createDatabase() }))
await database.stop()
rmSync(folder, { recursive: true })
