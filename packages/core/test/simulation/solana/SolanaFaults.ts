import type { FaultPlan } from "../FaultPlan.ts"
import type { SeededRandom } from "../SeededRandom.ts"
import type { Halt } from "./Slots.ts"

/** What goes wrong on a Solana chain and with its nodes, beside the plan that both rails share. */
export interface SolanaFaults {
  readonly slotMillis: number
  /** Blocks on top after which two thirds of the stake have voted for a block. */
  readonly confirmedDepth: number
  /** Number of forks that are lost before anyone else has voted for them. */
  readonly smallForks: number
  readonly halts: ReadonlyArray<Halt>
  /** Seconds by which the chain's clock is ahead. */
  readonly driftSeconds: number
  /** How far each node behind the till's endpoint lags. Which one responds is chance. */
  readonly lagsMillis: ReadonlyArray<number>
  /** When the nodes start anew, without the blocks before. */
  readonly forgetsAtMillis: number | undefined
  /** Probability that a transaction is lost on its way to the leader, and the longest way. */
  readonly dropChance: number
  readonly maxTransitMillis: number
  /** Probability that a transaction which was lost is sent again shortly before its blockhash expires. */
  readonly lastMomentChance: number
  /** Probability that a facilitator doesn't simulate a transaction before it sends it. */
  readonly blindChance: number
  /** Payers have money in a second account of the token, which no facilitator settles from. */
  readonly hasSecondAccounts: boolean
  /** Tills settle by themselves, without a facilitator elsewhere. */
  readonly isLocal: boolean
  /** When the fee payer of such tills can't pay a fee. */
  readonly withoutFunds: Halt | undefined
}

/** The plan on Solana: in some worlds, faults outlast a blockhash. */
export const onSolana = (faultPlan: FaultPlan, random: SeededRandom): FaultPlan =>
  random.chance(0.4) ? { ...faultPlan, activeMillis: random.between(150_000, 260_000) } : faultPlan

/** What keeps a transaction from its block until its blockhash has almost expired. */
const drawDelays = (
  random: SeededRandom,
  { activeMillis }: FaultPlan,
  startMillis: number
): Pick<SolanaFaults, "dropChance" | "halts" | "lastMomentChance" | "slotMillis"> => {
  const haltAt = (mostMillis: number, lengths: ReadonlyArray<number>): ReadonlyArray<Halt> => {
    const fromMillis = startMillis + random.between(0, mostMillis)
    return [{ fromMillis, untilMillis: fromMillis + random.pick(lengths) }]
  }
  switch (random.weighted({ few: 7, standstill: 1, congestion: 2 })) {
    case "few":
      return {
        slotMillis: random.pick([400, 400, 400, 550]),
        halts: random.chance(0.15) ? haltAt(activeMillis, [5_000, 30_000]) : [],
        dropChance: random.pick([0, 0, 0.1, 0.4]),
        lastMomentChance: random.pick([0, 0, 0.7])
      }
    case "standstill":
      return {
        slotMillis: 400,
        halts: haltAt(20_000, [120_000, 180_000]),
        dropChance: 0,
        lastMomentChance: 0
      }
    case "congestion":
      return { slotMillis: 850, halts: [], dropChance: 0.9, lastMomentChance: 0.9 }
  }
}

export const drawSolanaFaults = (
  random: SeededRandom,
  faultPlan: FaultPlan,
  startMillis: number
): SolanaFaults => {
  const { activeMillis, node } = faultPlan
  const lags = [node.lagMillis, random.pick([0, 0, 700, 4_000, 20_000])]
  return {
    ...drawDelays(random, faultPlan, startMillis),
    confirmedDepth: random.pick([1, 2, 10]),
    smallForks: random.chance(0.3) ? random.between(5, 30) : 0,
    driftSeconds: random.pick([0, 0, 0, -2, -8, 1]),
    lagsMillis: random.chance(0.5) ? lags : lags.slice(0, 1),
    forgetsAtMillis: random.chance(0.2) ? startMillis + random.between(0, activeMillis) : undefined,
    maxTransitMillis: random.pick([600, 600, 3_000, 20_000]),
    blindChance: random.pick([0, 0.2, 1]),
    hasSecondAccounts: random.stream("second accounts").chance(0.3),
    ...drawLocal(random.stream("local"), startMillis, activeMillis)
  }
}

const drawLocal = (
  random: SeededRandom,
  startMillis: number,
  activeMillis: number
): Pick<SolanaFaults, "isLocal" | "withoutFunds"> => {
  if (!random.chance(0.3)) return { isLocal: false, withoutFunds: undefined }
  const fromMillis = startMillis + random.between(0, activeMillis)
  const untilMillis = fromMillis + random.pick([5_000, 40_000, 200_000])
  return { isLocal: true, withoutFunds: random.chance(0.4) ? { fromMillis, untilMillis } : undefined }
}
