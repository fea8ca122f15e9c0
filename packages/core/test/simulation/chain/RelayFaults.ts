import type { SeededRandom } from "../SeededRandom.ts"

/** A period in which blocks ask for higher fees. */
export interface FeeSpike {
  readonly fromMillis: number
  readonly untilMillis: number
  readonly baseFeeWei: bigint
}

/** What goes wrong with the transactions of tills that settle by themselves on an EVM chain. */
export interface RelayFaults {
  readonly spikes: ReadonlyArray<FeeSpike>
  /** Longest way of a transaction to the block builders. */
  readonly maxTransitMillis: number
  /** Probability that nodes forget a transaction, for a while or until it is sent again. */
  readonly forgetChance: number
  /** Probability that a builder has only the transaction that was replaced. */
  readonly oldVariantChance: number
  /** The relayer's native coin, and when it gets more. */
  readonly fundsWei: bigint
  readonly refillMillis: number
  readonly refillWei: bigint
  /** When blocked transactions may become possible. */
  readonly changesMillis: ReadonlyArray<number>
}

const gwei = 1_000_000_000n
const plentyWei = 1_000_000_000n * gwei

/** Draws whether tills settle by themselves, and what goes wrong then; `undefined`: they don't. */
export const drawRelayFaults = (random: SeededRandom): RelayFaults | undefined =>
  random.chance(0.12)
    ? {
        spikes: [],
        maxTransitMillis: 1_000,
        forgetChance: 0,
        oldVariantChance: 0,
        fundsWei: plentyWei,
        refillMillis: Infinity,
        refillWei: 0n,
        changesMillis: []
      }
    : undefined
