import { Context, Effect } from "effect"
import { Charges, type Claim } from "../../src/ports/Charges.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import type { SeededRandom } from "./SeededRandom.ts"

const reads = /\.(?:find\w*|list\w*|payerActivity|unfinished|voidedDue|count\w*|sum\w*|search\w*)$/

const tookEffect = (result: unknown): boolean =>
  result !== false && !(Array.isArray(result) && result.length === 0)

/** When the machine of the database may lose its power. */
export interface PowerFailures {
  readonly times: number
  /** The probability after a write, until then. */
  readonly chance: number
}

export const drawPowerFailures = (random: SeededRandom): PowerFailures => ({
  times: random.chance(0.4) ? random.between(1, 4) : 0,
  chance: random.pick([0.1, 0.5])
})

interface Unflushed {
  readonly key: string
  readonly owner: string
}

/**
 * What the machine of the database has confirmed and still loses if its power fails: claims, up to the next other write,
 * whose flush takes along what was written before it. Only a claim of a new key is lost here: without its row, everything
 * is as before it.
 */
export class PowerLoss {
  private unflushed: ReadonlyArray<Unflushed> = []
  private readonly known = new Set<string>()
  private left: number
  private readonly chance: number
  private readonly random: SeededRandom
  private readonly isFlushed: (operation: string) => boolean
  private readonly schedule: (millis: number) => void

  constructor(options: {
    readonly failures: PowerFailures
    readonly random: SeededRandom
    /** Whether a write is on the disk before it is confirmed. */
    readonly isFlushed?: (operation: string) => boolean
    /** The power fails so much later. */
    readonly schedule: (millis: number) => void
  }) {
    this.random = options.random
    this.isFlushed = options.isFlushed ?? ((operation) => operation !== "charges.claim")
    this.schedule = options.schedule
    this.left = options.failures.times
    this.chance = options.failures.chance
  }

  /** Observes a completed operation. */
  completed(operation: string, parameters: ReadonlyArray<unknown>, result: unknown): void {
    if (reads.test(operation) || !tookEffect(result)) return
    if (this.isFlushed(operation)) this.unflushed = []
    if (operation === "charges.claim" && (result as Claim)._tag === "Claimed") {
      const [{ key }, { owner }] = parameters as [{ readonly key: string }, { readonly owner: string }]
      if (!this.known.has(key)) this.unflushed = [...this.unflushed, { key, owner }]
      this.known.add(key)
    }
    if (this.left === 0 || !/claim|advance/.test(operation) || !this.random.chance(this.chance)) return
    this.left--
    this.schedule(this.random.between(0, this.random.pick([20, 200, 1_000, 5_000])))
  }

  stop(): void {
    this.left = 0
  }

  /** Takes back what was not flushed; returns the keys of lost charges. */
  async lose(stores: Context.Context<Stores>): Promise<ReadonlyArray<string>> {
    const charges = Context.get(stores, Charges)
    const lost = this.unflushed
    this.unflushed = []
    const keys: Array<string> = []
    for (const { key, owner } of lost) {
      this.known.delete(key)
      // Only in a store that doesn't flush an advance.
      await Effect.runPromise(charges.void(key, owner, { checkAfterMillis: 0, keepExposure: false }))
      if (await Effect.runPromise(charges.release(key, owner))) keys.push(key)
    }
    return keys
  }
}
