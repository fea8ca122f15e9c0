import type { FaultPlan } from "../FaultPlan.ts"
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
  /** How far a second node behind the relayer's address lags; `undefined`: there is one. Which one responds is chance. */
  readonly secondLagMillis: number | undefined
  /** When blocked transactions may become possible. */
  readonly changesMillis: ReadonlyArray<number>
}

/** The plan of a world with a relayer: processes crash more often, since its records outlive them. */
export const withRelay = (faultPlan: FaultPlan, random: SeededRandom): FaultPlan => ({
  ...faultPlan,
  processes: random.pick([faultPlan.processes, 2]),
  crashes: random.pick([faultPlan.crashes, 3, 6]),
  crashChance: random.pick([faultPlan.crashChance, 0.03])
})

const gwei = 1_000_000_000n
const plentyWei = 1_000_000_000n * gwei
/** What one settlement may cost at usual fees. */
const settlementWei = 160_000n * gwei

const drawSpikes = (
  random: SeededRandom,
  startMillis: number,
  activeMillis: number
): ReadonlyArray<FeeSpike> =>
  Array.from({ length: random.pick([0, 1, 1, 2]) }, () => {
    const fromMillis = startMillis + random.between(0, random.pick([5_000, activeMillis]))
    const untilMillis = fromMillis + random.pick([6_000, 30_000, 90_000, 300_000])
    // Above what was signed, above that of the first replacement, and above what the relayer pays at most.
    return { fromMillis, untilMillis, baseFeeWei: random.pick([2n, 3n, 4n, 20n]) * gwei }
  })

/** Draws whether tills settle by themselves, and what goes wrong then; `undefined`: they don't. */
export const drawRelayFaults = (
  random: SeededRandom,
  startMillis: number,
  activeMillis: number
): RelayFaults | undefined => {
  if (!random.chance(0.12)) return undefined
  const spikes = drawSpikes(random, startMillis, activeMillis)
  const isPoor = random.chance(0.3)
  const refillMillis = startMillis + random.between(0, 2 * activeMillis)
  return {
    spikes,
    maxTransitMillis: random.pick([500, 3_000, 20_000]),
    forgetChance: random.pick([0, 0.1, 0.4]),
    oldVariantChance: random.pick([0, 0.3, 0.7]),
    fundsWei: isPoor ? random.pick([0n, 1n, 2n, 4n]) * settlementWei : plentyWei,
    refillMillis,
    refillWei: plentyWei,
    secondLagMillis: random.pick([undefined, 0, 4_000, 20_000]),
    changesMillis: [refillMillis, ...spikes.map(({ untilMillis }) => untilMillis)]
  }
}
