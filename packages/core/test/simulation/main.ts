import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { RailName } from "./Economy.ts"
import { closePostgres, clusterVariable, ownCluster } from "./PostgresStorage.ts"
import { describeFailure, simulate, type StoreName } from "./simulate.ts"

/*
 * node packages/core/test/simulation/main.ts --seeds N [--seed S] [--store memory|sqlite|postgres]
 *   [--rail evm|solana] [--workers W]
 *
 * Runs N seeds starting at S (default 1), on one store or alternating between memory and SQLite, on one rail or
 * alternating between both, in W worker processes. Stops at the first seed that violates an invariant, prints its trace and exits with 1.
 */

const usage =
  "usage: simulate --seeds N [--seed S] [--store memory|sqlite|postgres] [--rail evm|solana] [--workers W]"
const reportEvery = 1_000
/** Seeds per batch of a worker: a few seconds. */
const batchSeeds = 100

interface Batch {
  readonly first: number
  readonly seeds: number
  readonly stores: ReadonlyArray<StoreName>
  readonly rails: ReadonlyArray<RailName>
}

/** The result of a batch. `failure` describes the first seed that violates an invariant. */
interface BatchResult {
  readonly counts: ReadonlyArray<readonly [what: string, count: number]>
  readonly failure: string | undefined
}

const wholeNumber = (name: string, text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} must be a whole number\n${usage}`)
  return value
}

const isRail = (name: string): name is RailName => ["evm", "solana"].includes(name)

const isStore = (name: string): name is StoreName => ["memory", "sqlite", "postgres"].includes(name)

const readArguments = () => {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
      store: { type: "string" },
      rail: { type: "string" },
      workers: { type: "string", default: "1" }
    }
  })
  const { rail, store } = values
  if (store !== undefined && !isStore(store)) throw new Error(usage)
  if (rail !== undefined && !isRail(rail)) throw new Error(usage)
  const stores: ReadonlyArray<StoreName> = store === undefined ? ["memory", "sqlite"] : [store]
  return {
    seeds: wholeNumber("seeds", values.seeds),
    first: wholeNumber("seed", values.seed),
    workers: Math.max(1, wholeNumber("workers", values.workers)),
    stores,
    rails: rail === undefined ? (["evm", "solana"] as const) : [rail]
  }
}

const runBatch = async ({ first, rails, seeds, stores }: Batch): Promise<BatchResult> => {
  const counts = new Map<string, number>()
  for (let seed = first; seed < first + seeds; seed++) {
    // Each rail gets seeds of every store.
    const rail = rails[Math.floor(seed / stores.length) % rails.length]!
    const report = await simulate(seed, stores[seed % stores.length]!, { rail })
    for (const [what, count] of report.counts) counts.set(what, (counts.get(what) ?? 0) + count)
    if (report.violations.length > 0) return { counts: [...counts], failure: describeFailure(report) }
  }
  return { counts: [...counts], failure: undefined }
}

/** Runs batches that the parent sends, until it closes the channel. */
const work = (): void => {
  process.on("message", (batch: Batch) => {
    runBatch(batch).then(
      (result) => process.send?.(result),
      (error: unknown) => {
        console.error(error)
        process.exit(2)
      }
    )
  })
  process.on("disconnect", () => void closePostgres().finally(() => process.exit(0)))
}

type Runner = (batch: Batch) => Promise<BatchResult>

/** Starts a worker in its own process. */
const startWorker = (env: NodeJS.ProcessEnv): { readonly run: Runner; readonly stop: () => void } => {
  const child = fork(fileURLToPath(import.meta.url), ["--worker"], { env })
  return {
    run: (batch) =>
      new Promise((resolve, reject) => {
        const ended = (code: number | null): void => reject(new Error(`a worker exited with code ${code}`))
        child.once("exit", ended)
        child.once("message", (result: BatchResult) => {
          child.off("exit", ended)
          resolve(result)
        })
        child.send(batch)
      }),
    stop: () => {
      child.removeAllListeners("exit")
      if (child.connected) child.disconnect()
    }
  }
}

const run = async ({
  first,
  rails,
  seeds,
  stores,
  workers
}: ReturnType<typeof readArguments>): Promise<number> => {
  const startMillis = performance.now()
  const counts = new Map<string, number>()
  let next = first
  let done = 0
  let failure: string | undefined
  const drain = async (runner: Runner): Promise<void> => {
    while (failure === undefined && next < first + seeds) {
      const batch = { first: next, seeds: Math.min(batchSeeds, first + seeds - next), stores, rails }
      next += batch.seeds
      const result = await runner(batch)
      failure ??= result.failure
      for (const [what, count] of result.counts) counts.set(what, (counts.get(what) ?? 0) + count)
      const before = done
      done += batch.seeds
      if (Math.floor(done / reportEvery) > Math.floor(before / reportEvery))
        console.error(`${done} of ${seeds} seeds`)
    }
  }
  if (workers === 1) await drain(runBatch)
  else {
    const url = stores.includes("postgres") ? (await ownCluster()).url : undefined
    const env = { ...process.env, ...(url === undefined ? {} : { [clusterVariable]: url }) }
    const started = Array.from({ length: workers }, () => startWorker(env))
    try {
      // The first failure is enough: doesn't wait for the other workers' batches.
      await new Promise<void>((resolve, reject) => {
        const drained = started.map(async ({ run }) => {
          await drain(run)
          if (failure !== undefined) resolve()
        })
        Promise.all(drained).then(() => resolve(), reject)
      })
    } finally {
      for (const { stop } of started) stop()
    }
  }
  await closePostgres()
  if (failure !== undefined) {
    console.log(failure)
    return 1
  }
  const seconds = ((performance.now() - startMillis) / 1000).toFixed(1)
  for (const [what, count] of Array.from(counts).sort()) console.log(`${String(count).padStart(9)}  ${what}`)
  console.log(
    `${seeds} seeds from ${first} on ${stores.join(" and ")}, ${rails.join(" and ")} in ${seconds} s: no invariant was violated`
  )
  return 0
}

if (process.argv.includes("--worker")) work()
else
  try {
    process.exitCode = await run(readArguments())
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 2
  }
