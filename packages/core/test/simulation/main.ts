import { parseArgs } from "node:util"
import { describeFailure, simulate, type StoreName } from "./simulate.ts"

/*
 * node --conditions=@till402/source packages/core/test/simulation/main.ts --seeds N [--seed S] [--store memory|sqlite]
 *
 * Runs N seeds from S on (default 1), on one store or, by turns, on both. Stops at the first seed that
 * breaks a promise, prints what happened in it and exits with 1.
 */

const usage = "usage: simulate --seeds N [--seed S] [--store memory|sqlite]"
const reportEvery = 1_000

const wholeNumber = (name: string, text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} must be a whole number\n${usage}`)
  return value
}

const readArguments = () => {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
      store: { type: "string" }
    }
  })
  const { store } = values
  if (store !== undefined && store !== "memory" && store !== "sqlite") throw new Error(usage)
  return {
    seeds: wholeNumber("seeds", values.seeds),
    first: wholeNumber("seed", values.seed),
    stores: store === undefined ? (["memory", "sqlite"] as const) : ([store] as const)
  }
}

const run = async (first: number, seeds: number, stores: ReadonlyArray<StoreName>): Promise<number> => {
  const startMillis = performance.now()
  const counts = new Map<string, number>()
  for (let index = 0; index < seeds; index++) {
    const seed = first + index
    const report = await simulate(seed, stores[seed % stores.length]!)
    if (report.violations.length > 0) {
      console.log(describeFailure(report))
      return 1
    }
    for (const [what, count] of report.counts) counts.set(what, (counts.get(what) ?? 0) + count)
    if ((index + 1) % reportEvery === 0) console.error(`${index + 1} of ${seeds} seeds`)
  }
  const seconds = ((performance.now() - startMillis) / 1000).toFixed(1)
  for (const [what, count] of Array.from(counts).sort()) console.log(`${String(count).padStart(9)}  ${what}`)
  console.log(
    `${seeds} seeds from ${first} on ${stores.join(" and ")} in ${seconds} s: every promise was kept`
  )
  return 0
}

try {
  const { first, seeds, stores } = readArguments()
  process.exitCode = await run(first, seeds, stores)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
}
