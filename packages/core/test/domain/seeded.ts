import { it } from "vitest"
import { mulberry32 } from "../../../testing/src/mulberry32.ts"

/** A seeded source of random values: the same seed gives the same values. */
export interface Dice {
  /** A whole number from 0 to `limit` - 1. */
  readonly below: (limit: number) => number
  readonly pick: <A>(choices: ReadonlyArray<A>) => A
  /** `length` characters of `alphabet`. */
  readonly text: (alphabet: string, length: number) => string
  /** `0x` and `bytes` bytes in hexadecimal. */
  readonly hex: (bytes: number) => `0x${string}`
  /** A whole number below 2^bits. */
  readonly bigint: (bits: number) => bigint
}

export const dice = (seed: number): Dice => {
  const next = mulberry32(seed)
  const below = (limit: number): number => next() % limit
  const text = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet[below(alphabet.length)]!).join("")
  return {
    below,
    pick: (choices) => choices[below(choices.length)]!,
    text,
    hex: (bytes) => `0x${text("0123456789abcdef", bytes * 2)}`,
    bigint: (bits) => BigInt(`0b${text("01", bits)}`)
  }
}

const firstSeed = Number(process.env["TEST_SEED"] ?? 402)

/** Runs of a property that takes long: all in `properties.deep.test.ts`, and a sixth before every change. */
export const shareOfRuns = (runs: number): number =>
  process.env["TILL402_SUITE"] === "deep" ? runs : Math.ceil(runs / 6)

/**
 * A property that has to hold for every run. A failure names the seed of its run:
 * `TEST_SEED=<seed> vitest run <file>` begins there.
 */
export const property = (
  name: string,
  runs: number,
  holds: (dice: Dice, run: number) => void | Promise<void>
): void => {
  it(`${name} (${runs} runs)`, async () => {
    for (let run = 0; run < runs; run++) {
      const seed = firstSeed + run
      try {
        await holds(dice(seed), run)
      } catch (error) {
        throw new Error(`with seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error
        })
      }
    }
  })
}
