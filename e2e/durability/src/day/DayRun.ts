import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { Books } from "../Books.ts"
import { type Buyer, makeBuyer } from "../Buyer.ts"
import { startFleet } from "../Fleet.ts"
import { type Outside, startOutside } from "../Outside.ts"
import { evmPayer } from "../rails/EvmRail.ts"
import { randomnessOf } from "../Randomness.ts"
import { within } from "../ServerProcess.ts"
import { makeBadRequests } from "./BadRequests.ts"
import { startCuttableProxy, throughProxy } from "./CuttableProxy.ts"
import type { Counts, Day, DayOptions, Traffic } from "./Day.ts"
import { comeToRest } from "./DayEnd.ts"
import { disturb, disturbOnly } from "./Disturbances.ts"
import { describeGrowth, memoryGrowth, type MemorySample } from "./Memory.ts"
import { makeReplays, type Replays } from "./Replays.ts"
import { type Figures, firedAlerts, figuresOf, missingPromtool, type Scrape, watchFleet } from "./Watch.ts"

export interface DayReport {
  /** Violations; empty if every promise was kept. */
  readonly faults: ReadonlyArray<string>
  /** Attempts by operation and final status: `buy 200`. */
  readonly outcomes: Readonly<Counts>
  readonly badRequests: Readonly<Counts>
  readonly disturbances: Readonly<Counts>
  readonly replays: number
  readonly transfers: number
  readonly movedAtomic: bigint
  readonly refundedAtomic: string
  readonly refundsDue: number
  /** Orders by status. */
  readonly orders: Readonly<Counts>
  readonly memory: ReadonlyArray<string>
  /** Events that the servers reported: `level: message` → count. */
  readonly events: Readonly<Counts>
  /** What the servers' metrics count. */
  readonly figures: Figures
  /** Scrapes at which each alert fired; `undefined`: without promtool, none can be judged. */
  readonly alerts: Readonly<Counts> | undefined
}

const baseUrl = "https://shop.example"
const serverCount = 4
/** Servers that live all day, whose memory is measured. */
const survivors = [0, 1]
const mortals = [2, 3] as const
const buyerCount = 10
const buyerPauseMillis = 1_500
const badRequestPauseMillis = 500
const purseAtomic = 1_000_000_000_000n
/** Longer than a disturbance, and short enough to wait for at the end. */
const leaseMillis = 20_000
const patienceMillis = 90_000
/** An alert that needs ten minutes of failing calls sees them in two. */
const slowAlertPace = 5
const memorySamples = 90
const minMemorySamples = 6
const minMemoryPauseMillis = 1_000

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const countBy = <A>(values: Iterable<A>, keyOf: (value: A) => string): Counts => {
  const counts: Counts = {}
  for (const value of values) counts[keyOf(value)] = (counts[keyOf(value)] ?? 0) + 1
  return counts
}

const makeBuyers = ({ attempts, fleet, options }: Day, replays: Replays): Promise<ReadonlyArray<Buyer>> =>
  Promise.all(
    Array.from({ length: buyerCount }, async (_, index) => {
      const name = `buyer-${index + 1}`
      return makeBuyer({
        payer: await evmPayer(options.chain),
        name,
        baseUrl,
        servers: fleet.servers,
        randomness: randomnessOf(options.seed, name),
        impatience: 0.1,
        attempts,
        choices: ["search", "search", "track", "buy", "vaultBuy"],
        pauseMillis: buyerPauseMillis,
        onEnd: replays.schedule
      })
    })
  )

const measureMemory = async (
  { fleet, options }: Day,
  samples: Array<MemorySample>,
  isStopping: () => boolean
): Promise<void> => {
  const pauseMillis = Math.max(minMemoryPauseMillis, (options.minutes * 60_000) / memorySamples)
  while (!isStopping()) {
    for (const slot of survivors) {
      try {
        const sample = await fleet.control<Omit<MemorySample, "slot">>("/control/memory", {}, slot)
        samples.push({ slot, ...sample })
      } catch {
        // The connection was reused while the server closed it. A server that has crashed is reported as such.
      }
    }
    await sleep(pauseMillis)
  }
}

const reportProgress = async (
  { attempts, events, options }: Day,
  isStopping: () => boolean
): Promise<void> => {
  for (let minute = 1; ; minute++) {
    for (let second = 0; second < 60; second++) {
      if (isStopping()) return
      await sleep(1_000)
    }
    options.onProgress(
      `minute ${minute}: ${attempts.length} paid calls, ${Object.values(events).reduce((total, count) => total + count, 0)} events`
    )
  }
}

/** Lets buyers buy, strangers misbehave and things break; resolves when every request has its last response. */
const spendDay = async (day: Day): Promise<Traffic> => {
  const { database, facilitator, fleet, options } = day
  const { minutes, seed } = options
  const { servers } = fleet
  const replays = makeReplays({ servers, baseUrl, randomness: randomnessOf(seed, "replays") })
  const badRequests = makeBadRequests({
    servers,
    randomness: randomnessOf(seed, "bad requests"),
    pauseMillis: badRequestPauseMillis,
    stolenPayment: replays.usedPayment
  })
  const samples: Array<MemorySample> = []
  const buyers = await makeBuyers(day, replays)
  const endMillis = Date.now() + minutes * 60_000
  let hasFailed = false
  const isOver = (): boolean => hasFailed || Date.now() >= endMillis
  const disturbed = { fleet, mortals, database, facilitator }
  const disturbing =
    options.only === undefined
      ? disturb(disturbed, randomnessOf(seed, "disturbances"), isOver)
      : disturbOnly(disturbed, options.only, isOver)
  const everything = Promise.all([
    disturbing,
    measureMemory(day, samples, isOver),
    reportProgress(day, isOver),
    badRequests.run(isOver),
    ...buyers.map((buyer) => buyer.run(isOver))
  ])
  everything.catch(() => {
    hasFailed = true
  })
  const disturbances = await disturbing
  fleet.pacify()
  await within(2 * patienceMillis, "the traffic did not end", everything)
  return { replays: await replays.end(), badRequests, disturbances: { ...disturbances }, samples }
}

/** A day without sales or measurements proves nothing. */
const emptiness = (sales: number, samples: ReadonlyArray<MemorySample>): ReadonlyArray<string> => [
  ...(sales === 0 ? ["nothing was sold"] : []),
  ...survivors
    .filter((survivor) => samples.filter(({ slot }) => slot === survivor).length < minMemorySamples)
    .map((survivor) => `the memory of server ${survivor} was hardly measured`)
]

/** Counters of a killed process end with its last scrape: only where none is killed do they have every payment. */
const figureFaults = (
  { options }: Day,
  counted: Figures,
  { ledgerAtomic, refundedAtomic }: Books
): ReadonlyArray<string> =>
  [
    ["revenue", counted.revenueAtomic, BigInt(ledgerAtomic)] as const,
    ["refunds", counted.refundedAtomic, BigInt(refundedAtomic)] as const
  ].flatMap(([name, metric, ledger]) =>
    metric === ledger || (options.only === undefined && metric < ledger)
      ? []
      : [`the metrics have ${name} of ${metric}, the ledger of ${ledger}`]
  )

const alertsOf = ({ options }: Day, scrapes: ReadonlyArray<Scrape>): Counts | undefined =>
  missingPromtool() === undefined
    ? countBy(firedAlerts(scrapes, options.only === "no facilitator" ? slowAlertPace : 1), ({ name }) => name)
    : undefined

const playDay = async (day: Day): Promise<DayReport> => {
  const watch = watchFleet(day.fleet)
  const traffic = await spendDay(day)
  const { badRequests, disturbances, replays, samples } = traffic
  const { books, faults, transfers } = await comeToRest(day, traffic)
  const scrapes = await watch.stop()
  const figures = figuresOf(scrapes)
  const growth = day.options.only === undefined ? memoryGrowth(samples) : []
  return {
    faults: [
      ...faults,
      ...figureFaults(day, figures, books),
      ...badRequests.faults,
      ...emptiness(transfers.length, samples),
      ...growth.filter(({ isFlat }) => !isFlat).map((grown) => `memory grew: ${describeGrowth(grown)}`),
      ...Object.keys(day.events).filter((event) => event.startsWith("crash"))
    ],
    outcomes: countBy(
      day.attempts,
      ({ operation, responses }) => `${operation} ${responses[0]?.status ?? "-"}`
    ),
    badRequests: Object.fromEntries(badRequests.outcomes),
    disturbances,
    replays: replays.size,
    transfers: transfers.length,
    movedAtomic: transfers.reduce((total, { amountAtomic }) => total + amountAtomic, 0n),
    refundedAtomic: books.refundedAtomic,
    refundsDue: books.charges.filter(({ refund }) => refund === "due").length,
    orders: countBy(books.orders, ({ status }) => status),
    memory: growth.map(describeGrowth),
    events: day.events,
    figures,
    alerts: alertsOf(day, scrapes)
  }
}

const openFleet = async (
  options: DayOptions,
  outside: Outside,
  { database, facilitator }: Pick<Day, "database" | "facilitator">,
  refundKey: Hex
) => {
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  const events: Counts = {}
  const fleet = await startFleet({
    // Where none is killed, none is replaced.
    ...(options.only === undefined ? { size: serverCount } : { size: survivors.length, standbys: 0 }),
    patienceMillis,
    settings: {
      baseUrl,
      payTo,
      rpcUrl: options.chain.rpcUrl,
      outsideUrl: outside.url,
      secret: generatePrivateKey(),
      storage: { kind: "postgres", url: throughProxy(options.postgresUrl, database) },
      leaseMillis,
      day: { facilitatorUrl: new URL(throughProxy(outside.url, facilitator)).origin, refundKey },
      ...(options.fault === undefined ? {} : { fault: options.fault })
    },
    onEvent: ({ level, message }) => {
      const event = `${level}: ${message}`
      events[event] = (events[event] ?? 0) + 1
    }
  })
  return { fleet, payTo, events }
}

/**
 * Mixed traffic on four servers and one PostgreSQL, while servers are killed, database connections are cut, and the
 * facilitator is unreachable. At the end, ledger and chain must agree, no money may be lost, and the memory of the
 * surviving servers must be flat, by `memoryRule`.
 *
 * @throws Error if the run fails itself: a server doesn't start, or a buyer doesn't end.
 */
export const dayRun = async (options: DayOptions): Promise<DayReport> => {
  const refundKey = generatePrivateKey()
  const refundWallet = privateKeyToAccount(refundKey).address
  await options.chain.mint(refundWallet, purseAtomic)
  const outside = await startOutside(options.facilitator.url)
  const database = await startCuttableProxy(Number(new URL(options.postgresUrl).port))
  const facilitator = await startCuttableProxy(Number(new URL(outside.url).port))
  try {
    const opened = await openFleet(options, outside, { database, facilitator }, refundKey)
    try {
      return await playDay({ options, outside, database, facilitator, refundWallet, attempts: [], ...opened })
    } finally {
      await opened.fleet.stop()
    }
  } finally {
    await Promise.all([facilitator.stop(), database.stop()])
    await outside.stop()
  }
}
