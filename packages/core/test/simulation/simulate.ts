import { fuse } from "./Fuse.ts"
import type { Mutation } from "./Mutations.ts"
import { postgresStorage } from "./PostgresStorage.ts"
import { memoryStorage, sqliteStorage } from "./Storage.ts"
import { World } from "./World.ts"

export type StoreName = "memory" | "sqlite" | "postgres"

/** What came of one run. */
export interface Report {
  readonly seed: number
  readonly store: StoreName
  /** Promises that were broken, in words; none in a good run. */
  readonly violations: ReadonlyArray<string>
  /** How often what came about. */
  readonly counts: ReadonlyMap<string, number>
  /** What happened, line by line. */
  readonly trace: string
}

const storages = { memory: memoryStorage, sqlite: sqliteStorage, postgres: postgresStorage }

/** Runs one seed on one store. The same seed on the same store has the same trace. */
export const simulate = async (seed: number, store: StoreName, mutation?: Mutation): Promise<Report> => {
  const storage = await storages[store]()
  const world = new World(seed, storage, mutation)
  try {
    await world.run()
  } catch (error) {
    world.witness.violation(undefined, `the run broke off: ${String(error)}`)
  } finally {
    fuse.replace()
    await storage.dispose()
  }
  const { trace, witness } = world
  return {
    seed,
    store,
    violations: witness.violations,
    counts: witness.counts,
    get trace() {
      return trace.toString()
    }
  }
}

/** A failed run in words that replay it, and the last lines of what happened in it. */
export const describeFailure = ({ seed, store, trace, violations }: Report, lines = Infinity): string =>
  [
    ...trace.split("\n").slice(-lines),
    "",
    ...violations.map((violation) => `- ${violation}`),
    "",
    `Seed ${seed} on ${store} breaks a promise. To replay it:`,
    `npm run simulate -- --seed ${seed} --seeds 1 --store ${store}`
  ].join("\n")
