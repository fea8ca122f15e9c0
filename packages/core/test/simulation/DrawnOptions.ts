import { drawRelayFaults, type RelayFaults, withRelay } from "./chain/RelayFaults.ts"
import { type ClockFault, drawClockFaults } from "./ClockFaults.ts"
import type { RailName } from "./Economy.ts"
import { drawOutages, type Outage } from "./FacilitatorOutages.ts"
import { drawFaultPlan, type FaultPlan } from "./FaultPlan.ts"
import { drawPowerFailures, type PowerFailures } from "./PowerLoss.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import { drawSolanaFaults, onSolana, type SolanaFaults } from "./solana/SolanaFaults.ts"
import { drawUpstreamProfile, type UpstreamProfile } from "./UpstreamProfile.ts"

/** What is drawn for a world before it begins. A failure prints it. */
export interface DrawnOptions {
  readonly faultPlan: FaultPlan
  /** What goes wrong with the transactions of tills that settle by themselves; `undefined`: they don't, or on Solana. */
  readonly relay: RelayFaults | undefined
  /** On Solana only. */
  readonly solana: SolanaFaults | undefined
  readonly clockFaults: ReadonlyArray<ClockFault>
  readonly outages: ReadonlyArray<Outage>
  readonly powerFailures: PowerFailures
  readonly upstream: UpstreamProfile
  /** Whether the verification of a facilitator elsewhere reads which payments have been used. */
  readonly readsNonces: boolean
  readonly shoppers: number
  /** Whether there is another till with the same `payTo`; only where facilitators are elsewhere. */
  readonly hasOtherTill: boolean
  /** Number of wallets that send refunds: each process has one of them. */
  readonly refundWallets: number
  /** How long a quote is valid. */
  readonly quoteMillis: number
}

interface World {
  readonly rail: RailName
  /** Whether the store is part of each process. */
  readonly isLocal: boolean
  readonly startMillis: number
}

/** The plan of both rails, and the faults of one. */
const drawFaults = (
  random: SeededRandom,
  { rail, startMillis }: World
): Pick<DrawnOptions, "faultPlan" | "relay" | "solana"> => {
  const drawn = drawFaultPlan(random.stream("faults"), startMillis)
  if (rail === "solana") {
    const faultPlan = onSolana(drawn, random.stream("length on Solana"))
    const solana = drawSolanaFaults(random.stream("Solana"), faultPlan, startMillis)
    return { faultPlan, relay: undefined, solana }
  }
  const relay = drawRelayFaults(random.stream("relay"), startMillis, drawn.activeMillis)
  const faultPlan = relay === undefined ? drawn : withRelay(drawn, random.stream("plan with a relay"))
  return { faultPlan, relay, solana: undefined }
}

/** Draws a world. Each part has a stream of its own: what is drawn for one doesn't depend on the others. */
export const drawOptions = (random: SeededRandom, world: World): DrawnOptions => {
  const { isLocal, startMillis } = world
  const faults = drawFaults(random, world)
  const { faultPlan, relay, solana } = faults
  const isElsewhere = relay === undefined && solana?.isLocal !== true
  return {
    ...faults,
    clockFaults: isLocal ? [] : drawClockFaults(random.stream("clocks"), faultPlan, startMillis),
    outages: drawOutages(random.stream("outages"), faultPlan, startMillis),
    powerFailures: drawPowerFailures(random.stream("power failures")),
    upstream: drawUpstreamProfile(random.stream("upstream"), startMillis),
    hasOtherTill: isElsewhere && random.stream("other till").chance(0.2),
    readsNonces: random.stream("reads nonces").chance(0.8),
    refundWallets: random.stream("refund wallets").pick([1, 1, 2, 3]),
    shoppers: random.stream("shoppers").between(1, 3),
    quoteMillis: random.stream("quotes").pick([45_000, 600_000])
  }
}

const written = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each)) ?? "none"

/** One line for each option. */
export const describeOptions = ({ faultPlan, ...others }: DrawnOptions): string =>
  Object.entries({ ...faultPlan, ...others })
    .map(([name, value]) => `${name}: ${written(value)}`)
    .join("\n")
