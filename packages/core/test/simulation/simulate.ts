import { describeOptions, type DrawnOptions } from "./DrawnOptions.ts"
import { powerCut } from "./PowerCut.ts"
import type { Mutation } from "./Mutations.ts"
import { postgresStorage } from "./PostgresStorage.ts"
import { memoryStorage, sqliteStorage } from "./Storage.ts"
import type { RailName } from "./Economy.ts"
import { Simulation } from "./Simulation.ts"
import { installSynchronousCrypto } from "./solana/SynchronousCrypto.ts"

export type StoreName = "memory" | "sqlite" | "postgres"

/** The result of one run. */
export interface Report {
  readonly seed: number
  readonly store: StoreName
  readonly rail: RailName
  /** Violated invariants; empty in a good run. */
  readonly violations: ReadonlyArray<string>
  /** How often each event happened. */
  readonly counts: ReadonlyMap<string, number>
  /** What was drawn for the world, one option a line. */
  readonly drawn: string
  /** The trace, line by line. */
  readonly trace: string
}

const storages = { memory: memoryStorage, sqlite: sqliteStorage, postgres: postgresStorage }

export interface SimulationOptions {
  readonly mutation?: Mutation | undefined
  /** Default: `evm`. */
  readonly rail?: RailName
  /** Whether the database flushes a write before it confirms it. Default: all but claims. */
  readonly isFlushed?: (operation: string) => boolean
  /** Changes what was drawn, for what a world shows too rarely. */
  readonly world?: ((drawn: DrawnOptions) => DrawnOptions) | undefined
}

/** Runs one seed on one store. The same seed on the same store has the same trace. */
export const simulate = async (
  seed: number,
  store: StoreName,
  options: SimulationOptions = {}
): Promise<Report> => {
  const { rail = "evm" } = options
  const restoreCrypto = rail === "solana" ? installSynchronousCrypto() : () => undefined
  const storage = await storages[store]()
  const simulation = new Simulation(seed, storage, options)
  try {
    await simulation.run()
  } catch (error) {
    simulation.checker.violation(undefined, `the run failed: ${String(error)}`)
  } finally {
    powerCut.reset()
    await storage.dispose()
    restoreCrypto()
  }
  const { trace, checker } = simulation
  return {
    seed,
    store,
    rail,
    violations: checker.violations,
    counts: checker.counts,
    get drawn() {
      return describeOptions(simulation.drawn)
    },
    get trace() {
      return trace.toString()
    }
  }
}

/** Describes a failed run: the last lines of its trace, its violations, and how to replay it. */
export const describeFailure = (
  { drawn, rail, seed, store, trace, violations }: Report,
  lines = Infinity
): string =>
  [
    ...trace.split("\n").slice(-lines),
    "",
    drawn,
    "",
    ...violations.map((violation) => `- ${violation}`),
    "",
    `Seed ${seed} on ${store} and ${rail} violates an invariant. To replay it:`,
    `npm run simulate -- --seed ${seed} --seeds 1 --store ${store} --rail ${rail}`
  ].join("\n")
