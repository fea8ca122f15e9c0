import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generatePrivateKey } from "viem/accounts"
import { audit } from "./Audit.ts"
import { type Attempt, type Buyer, makeBuyer } from "./Buyer.ts"
import { collectEvidence } from "./Evidence.ts"
import { type Fleet, startFleet } from "./Fleet.ts"
import { killOnce } from "./Killing.ts"
import { localMoments, type Moment, moments as allMoments } from "./Moments.ts"
import { type Outside, startOutside } from "./Outside.ts"
import type { Rail } from "./rails/Rail.ts"
import { randomnessOf } from "./Randomness.ts"
import { type ServerEvent, within } from "./ServerProcess.ts"
import type { FaultName } from "./ServerSettings.ts"

export interface KillRunOptions {
  /** Its payee is this run's own. */
  readonly rail: Rail
  /** SQLite: one server on one file. PostgreSQL: servers on one empty database, two by default. */
  readonly storage: "sqlite" | { readonly postgresUrl: string; readonly servers?: number }
  readonly rounds: number
  /** Seeds the choice of requests, victims and moments. The machine schedules the processes. */
  readonly seed: number
  readonly fault?: FaultName
  /** The moments at which servers are killed; default: all. Some kills are timed instead. */
  readonly moments?: readonly [Moment, ...ReadonlyArray<Moment>]
  /** Number of buyers, who all buy at the same time; default 6. */
  readonly buyers?: number
  /** How often buyers send a second copy of a payment before the first gets its response, from 0 to 1; default 0.3. */
  readonly impatience?: number
  /** Maximum time for work in flight to end after the run, in milliseconds; default 60,000. */
  readonly restMillis?: number
  readonly onRound?: (round: number) => void
}

type Counts = Record<string, number>

export interface KillReport {
  readonly seed: number
  /** Violations; empty if every promise was kept. */
  readonly faults: ReadonlyArray<string>
  readonly kills: number
  /** Attempts by operation and final status: `buy 200`. */
  readonly outcomes: Readonly<Counts>
  /** Requests whose connection was lost. */
  readonly cutOff: number
  /** Requests whose response requested a retry of the same payment. */
  readonly sentAgain: number
  readonly transfers: number
  readonly movedAtomic: bigint
  /** Where servers were killed: a moment of a call, or `clock`. */
  readonly moments: Readonly<Counts>
  /** Events that the servers reported: `level: message` → count; `crash` if a server ended by itself. */
  readonly events: Readonly<Counts>
}

const baseUrl = "https://shop.example"
const leaseMillis = 800
const buyersEndMillis = 300_000

const count = (counts: Counts, key: string): void => {
  counts[key] = (counts[key] ?? 0) + 1
}

/** Removes ids and addresses, which differ between runs. */
const describeEvent = ({ error, level, message }: ServerEvent): string =>
  `${level}: ${message} ${error ?? ""}`
    .replaceAll(/\b(?:0x[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]{27})\b/gi, "…")
    .trim()

const fundBuyers = (
  options: KillRunOptions,
  fleet: Fleet,
  attempts: Array<Attempt>
): Promise<ReadonlyArray<Buyer>> =>
  Promise.all(
    Array.from({ length: options.buyers ?? 6 }, async (_, index) => {
      const name = `buyer-${index + 1}`
      const randomness = randomnessOf(options.seed, name)
      return makeBuyer({
        payer: await options.rail.openPayer(),
        name,
        baseUrl,
        servers: fleet.servers,
        randomness,
        impatience: options.impatience ?? 0.3,
        attempts
      })
    })
  )

const outcomeOf = ({ responses, failure, operation }: Attempt): string =>
  `${operation} ${failure === undefined ? (responses[0]?.status ?? "unanswered") : "failed"}`

/** The external parts of a run. */
interface Stage {
  readonly outside: Outside
  readonly fleet: Fleet
  readonly events: Counts
}

const openStage = async (
  { fault, rail, rounds, storage }: KillRunOptions,
  folder: string,
  outside: Outside
): Promise<Stage> => {
  const events: Counts = {}
  const fleet = await startFleet({
    size: storage === "sqlite" ? 1 : (storage.servers ?? 2),
    // The last one needs none.
    standbys: rounds - 1,
    settings: {
      ...rail.settings,
      baseUrl,
      outsideUrl: outside.url,
      secret: generatePrivateKey(),
      storage:
        storage === "sqlite"
          ? { kind: "sqlite", filename: join(folder, "till.sqlite") }
          : { kind: "postgres", url: storage.postgresUrl },
      leaseMillis,
      ...(fault === undefined ? {} : { fault })
    },
    onEvent: (event) => count(events, describeEvent(event))
  })
  return { outside, fleet, events }
}

/** Lets buyers buy while servers are killed; resolves when the last buyer has its last response. */
const killWhileBuying = async (
  options: KillRunOptions,
  { fleet, outside }: Stage
): Promise<{ readonly attempts: ReadonlyArray<Attempt>; readonly hits: Counts }> => {
  const { rail, rounds, seed } = options
  const { moments = rail.facilitatorUrl === undefined ? localMoments : allMoments } = options
  const attempts: Array<Attempt> = []
  const hits: Counts = {}
  const buyers = await fundBuyers(options, fleet, attempts)
  let isStopping = false
  const buying = Promise.all(buyers.map((buyer) => buyer.run(() => isStopping)))
  try {
    for (let round = 1; round <= rounds; round++) {
      const randomness = randomnessOf(seed, `round ${round}`)
      count(hits, await killOnce(fleet, outside, moments, randomness))
      options.onRound?.(round)
    }
  } finally {
    isStopping = true
    fleet.pacify()
    await within(buyersEndMillis, "the buyers did not end", buying)
  }
  return { attempts, hits }
}

const play = async (options: KillRunOptions, stage: Stage): Promise<KillReport> => {
  const { rail, restMillis = 60_000, rounds, seed } = options
  const { attempts, hits } = await killWhileBuying(options, stage)
  const evidence = await collectEvidence({
    ...stage,
    attempts,
    baseUrl,
    rail,
    leaseMillis,
    restMillis,
    seed
  })
  const outcomes: Counts = {}
  for (const attempt of attempts) count(outcomes, outcomeOf(attempt))
  return {
    seed,
    faults: [...audit(evidence), ...Object.keys(stage.events).filter((event) => event.startsWith("crash"))],
    kills: rounds,
    outcomes,
    cutOff: attempts.reduce((total, { cutOff }) => total + cutOff, 0),
    sentAgain: attempts.reduce((total, { sentAgain }) => total + sentAgain, 0),
    transfers: evidence.transfers.length,
    movedAtomic: evidence.transfers.reduce((total, { amountAtomic }) => total + amountAtomic, 0n),
    moments: hits,
    events: stage.events
  }
}

/**
 * Buyers buy continuously from servers that are killed repeatedly. Finally, compares the buyers' responses, the
 * records, the orders and the transfers on the chain.
 *
 * @throws Error if the run fails itself: a server doesn't start, or a buyer doesn't end.
 *
 * @example
 * const report = await killRun({ rail: await evmRail({ chain, facilitator }), storage: "sqlite", rounds: 20, seed: 7 })
 * expect(report.faults).toEqual([])
 */
export const killRun = async (options: KillRunOptions): Promise<KillReport> => {
  const folder = await mkdtemp(join(tmpdir(), "till402-durability-"))
  try {
    const outside = await startOutside(options.rail.facilitatorUrl)
    try {
      const stage = await openStage(options, folder, outside)
      try {
        return await play(options, stage)
      } finally {
        await stage.fleet.stop()
      }
    } finally {
      await outside.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
