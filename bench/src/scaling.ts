/*
 * Paid calls by 1, 2 and 4 server processes on one PostgreSQL, and the work that was done twice: none. The facilitator
 * is a process of its own and responds at once. Ends with exit code 1 if a payment's work ran, or the payment was
 * settled, other than once.
 *
 *   npm run bench -- scaling
 */
import { availableParallelism } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { startPostgres } from "@till402/test-postgres"
import type { FacilitatorOptions } from "./floodFacilitator.ts"
import { median } from "./load.ts"
import { startWorker, type Worker } from "./processes.ts"
import type { CallersCommand, CallersOptions, CallersResult } from "./scalingCallers.ts"
import type { ScalingServerOptions, ServerReport } from "./scalingServer.ts"

type Server = Worker<object, ServerReport>
type Callers = Worker<CallersCommand, CallersResult>

const sizes = [1, 2, 4]
const rounds = 3
const callerProcesses = 2
const callersEach = 64
const paymentsEach = 2_000
const twiceEvery = 20

/** Times that something was done, by what it was done for. */
type Times = Readonly<Record<string, number>>

interface Round {
  /** Payments per second. */
  readonly rate: number
  /** Milliseconds of the slowest call but one in a hundred. */
  readonly p99: number
  /** The same of payments that were sent twice. */
  readonly p99OfTwice: number
  readonly connections: number
  /** Cores that the servers kept busy. */
  readonly cores: number
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((left, right) => left + right, 0)

const added = (counts: ReadonlyArray<Times>): Times => {
  const total: Record<string, number> = {}
  for (const [key, times] of counts.flatMap((count) => Object.entries(count)))
    total[key] = (total[key] ?? 0) + times
  return total
}

const p99Of = (millis: ReadonlyArray<number>): number =>
  millis.toSorted((left, right) => left - right)[Math.ceil(millis.length * 0.99) - 1]!

/** Times beyond once. */
const beyondOnce = (times: Times): number => sum(Object.values(times).map((count) => count - 1))

const row = (cells: ReadonlyArray<string>): void =>
  console.log(cells.map((cell, index) => cell.padStart(index === 0 ? 9 : 17)).join(""))

const broken: Array<string> = []
const promise = (holds: boolean, text: string): void => {
  if (!holds) broken.push(text)
}

const database = await startPostgres({ durable: true })

/** The most connections of the database while the work runs. */
const connectionsDuring = async (url: string, work: Promise<unknown>): Promise<number> => {
  const ended = work.then(() => true)
  const counts: Array<number> = []
  do counts.push(await database.connections(url))
  while (!(await Promise.race([ended, sleep(500, false)])))
  return Math.max(...counts)
}

const startServers = async (processes: number) => {
  const facilitator: Worker<object, string> = await startWorker("floodFacilitator.ts", {
    verifyMillis: 0,
    settleMillis: 0,
    funded: "all",
    settles: true
  } satisfies FacilitatorOptions)
  const databaseUrl = await database.createDatabase()
  const options: ScalingServerOptions = { databaseUrl, facilitatorUrl: facilitator.ready }
  const servers: ReadonlyArray<Server> = await Promise.all(
    Array.from({ length: processes }, (): Promise<Server> => startWorker("scalingServer.ts", options))
  )
  return { databaseUrl, facilitator, servers }
}

const startCallers = (origins: ReadonlyArray<string>): Promise<ReadonlyArray<Callers>> =>
  Promise.all(
    Array.from({ length: callerProcesses }, (_, index): Promise<Callers> =>
      startWorker("scalingCallers.ts", {
        name: `callers-${index}`,
        origins,
        callers: callersEach,
        payments: paymentsEach,
        twiceEvery
      } satisfies CallersOptions)
    )
  )

/** One line of the table: so many server processes under the same load. */
const measure = async (processes: number): Promise<void> => {
  const { databaseUrl, facilitator, servers } = await startServers(processes)
  const callers = await startCallers(servers.map(({ ready }) => ready.origin))
  const all = <Input, Output>(workers: ReadonlyArray<Worker<Input, Output>>, input: Input) =>
    Promise.all(workers.map((worker) => worker.request(input)))
  const measured: Array<Round> = []
  let work: Times = {}
  for (let round = 0; round <= rounds; round++) {
    await all(callers, { step: "sign" })
    await all(servers, {})
    const paying = all(callers, { step: "pay" })
    const connections = await connectionsDuring(databaseUrl, paying)
    const results = await paying
    const reports = await all(servers, {})
    work = added([work, ...reports.map((done) => done.work)])
    const refused = added(results.map((result) => result.refused))
    promise(
      Object.keys(refused).length === 0,
      `${processes} processes: every call gets a 200, not ${JSON.stringify(refused)}`
    )
    const millis = Math.max(...results.map((result) => result.millis))
    // The first round warms up.
    if (round > 0)
      measured.push({
        rate: (callerProcesses * paymentsEach) / (millis / 1_000),
        p99: p99Of(results.flatMap(({ times }) => times)),
        p99OfTwice: p99Of(results.flatMap(({ timesOfTwice }) => timesOfTwice)),
        connections,
        cores: sum(reports.map(({ cpuMillis }) => cpuMillis)) / millis
      })
  }
  const response = await fetch(`${facilitator.ready}/settlements`)
  const settlements = (await response.json()) as Times
  for (const worker of [...callers, ...servers, facilitator]) await worker.stop()

  const payments = callerProcesses * paymentsEach * (rounds + 1)
  for (const [name, times] of Object.entries({ work, settlements }))
    promise(
      Object.keys(times).length === payments && beyondOnce(times) === 0,
      `${processes} processes, ${name}: once for each of ${payments} payments`
    )
  const of = (figure: keyof Round, digits = 0): string =>
    median(measured.map((round) => round[figure])).toFixed(digits)
  row([
    String(processes),
    of("rate"),
    of("p99"),
    of("p99OfTwice"),
    of("connections"),
    of("cores", 1),
    String(beyondOnce(work)),
    String(beyondOnce(settlements))
  ])
}

console.log(
  `paid calls over HTTP, ${callerProcesses * callersEach} at a time, every ${twiceEvery}th payment sent to two servers ` +
    `at once;\nmedian of ${rounds} rounds of ${callerProcesses * paymentsEach} payments, Node ${process.version}, ` +
    `${availableParallelism()} cores\n`
)
row([
  "processes",
  "calls per second",
  "p99 in ms",
  "p99, sent twice",
  "connections",
  "cores of servers",
  "work twice",
  "settled twice"
])
try {
  for (const processes of sizes) await measure(processes)
} finally {
  await database.stop()
}
for (const text of broken) console.log(`Broken: ${text}`)
process.exitCode = broken.length === 0 ? 0 : 1
