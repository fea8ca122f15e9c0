import type { SeededRandom } from "./SeededRandom.ts"
import type { NodeCondition } from "./chain/RpcNode.ts"
import type { MailerBehavior } from "./SimulatedMailer.ts"
import type { OperatorBehavior } from "./SimulatedOperator.ts"
import { drawUpstreamBehavior, reliable, type UpstreamBehavior } from "./UpstreamProfile.ts"
import { blockMillis } from "./chain/SimulatedChain.ts"
import { type FacilitatorBehavior, honest, type SettleMode } from "./SimulatedFacilitator.ts"

/** The faults of one run, drawn once from its seed. */
export interface FaultPlan {
  readonly processes: 1 | 2
  /** Clock skew of each process. */
  readonly skewMillis: ReadonlyArray<number>
  /** Maximum number of crashes, and the probability per call. */
  readonly crashes: number
  readonly crashChance: number
  /** The same for processes that are suspended for a while. */
  readonly freezes: number
  readonly freezeChance: number
  /** Probability that a store operation fails, before or after it took effect. */
  readonly storeErrorChance: number
  /** Probability that a response is delayed, and the maximum delay. */
  readonly slowChance: number
  readonly slowMillis: number
  /** Probability that a host function fails. */
  readonly hostErrorChance: number
  readonly facilitator: FacilitatorBehavior
  readonly node: NodeCondition
  /** Probability that a request to the node, or its response, is lost. */
  readonly rpcLossChance: number
  /** Number of attackers, which have their own accounts and submit transactions. */
  readonly attackers: number
  /** Number of reorganizations, and their maximum depth in blocks. */
  readonly reorganizations: number
  readonly reorganizationDepth: number
  /** Confirmations that the till requires, and when it considers a transfer final. */
  readonly confirmations: number
  readonly finalitySeconds: number
  /** Probability that an honest payer's balance is too low for all its payments. */
  readonly poorChance: number
  /** Settles searches before their work. */
  readonly settlesFirst: boolean
  /** Probability that a third party submits a payment to the chain, or its payer cancels it. */
  readonly thirdPartyChance: number
  readonly cancelChance: number
  /** Probability that a response is lost on its way to the client. */
  readonly lossChance: number
  /** Duration of the faults. */
  readonly activeMillis: number
  /** Maximum validity of a payment, in seconds. */
  readonly maxTimeoutSeconds: number
  /** Maximum number of unsettled payments per payer. */
  readonly unsettledPerPayer: number
  /** All clients pay from one account; all send the same request. */
  readonly isOnePayer: boolean
  readonly isOneRequest: boolean
  /** Additional faults in order processing. */
  readonly orderCrashes: number
  readonly orderFreezes: number
  readonly orderFaultChance: number
  /** Maximum time until a placement reaches upstream. */
  readonly placeTransitMillis: number
  /** How much longer faults last for orders in progress. */
  readonly aftermathMillis: number
  /** Adds a client that only buys. */
  readonly hasBuyer: boolean
  readonly upstream: UpstreamBehavior
  readonly mail: MailerBehavior
  readonly operator: OperatorBehavior
}

const faultyModes: ReadonlyArray<Exclude<SettleMode, "clean">> = [
  "acceptsThenTimesOut",
  "errorsAfterSettling",
  "errorsBeforeSettling",
  "pending",
  "duplicate",
  "wrongNetwork",
  "liesSuccess",
  "liesRefusal",
  "rejects",
  "failsOnChain",
  "slow"
]

const drawFacilitator = (random: SeededRandom): FacilitatorBehavior => {
  if (random.chance(0.25)) return honest
  const settle: Record<SettleMode, number> = { ...honest.settle, clean: random.pick([0.5, 2, 4]) }
  for (let count = random.between(1, 3); count > 0; count--) settle[random.pick(faultyModes)] = 1
  const unreliable = random.chance(0.3) ? 0.2 : 0
  return { settle, verify: { clean: 1, breaks: unreliable, silent: unreliable / 2 } }
}

const drawNode = (random: SeededRandom, startMillis: number): NodeCondition => {
  const fromMillis = startMillis + random.between(0, 60_000)
  return {
    lagMillis: random.chance(0.4) ? random.pick([500, 3_000, 15_000, 45_000]) : 0,
    down: random.chance(0.3) ? [[fromMillis, fromMillis + random.pick([5_000, 60_000, 400_000])]] : []
  }
}

const drawOrderFaults = (random: SeededRandom) => ({
  orderCrashes: random.chance(0.5) ? random.between(1, 2) : 0,
  orderFaultChance: random.pick([0.1, 0.3]),
  placeTransitMillis: random.pick([300, 300, 4_000]),
  hasBuyer: random.chance(0.5),
  upstream: drawUpstreamBehavior(random),
  mail: {
    failureChance: random.pick([0, 0, 0.3]),
    rejectionChance: random.chance(0.1) ? 0.3 : 0,
    hangs: false
  },
  operator: {
    processNowChance: random.pick([0, 0, 0.1, 0.5]),
    cancelOrderChance: random.chance(0.2) ? 0.05 : 0,
    sendsRefunds: random.chance(0.4)
  }
})

const drawChainFaults = (random: SeededRandom) => {
  const isReorganized = random.chance(0.2)
  const finalityBlocks = random.pick([6, 15, 30])
  return {
    rpcLossChance: random.chance(0.2) ? 0.05 : 0,
    attackers: random.chance(0.45) ? random.between(1, 2) : 0,
    reorganizations: isReorganized ? random.between(1, 4) : 0,
    reorganizationDepth: random.between(1, finalityBlocks - 2),
    confirmations: random.between(1, 3),
    finalitySeconds: (finalityBlocks * blockMillis) / 1_000,
    poorChance: random.chance(0.2) ? 0.5 : 0,
    settlesFirst: random.chance(0.25)
  }
}

/** Draws a fault plan. Most plans lack most faults, so that each fault's effect shows. */
export const drawFaultPlan = (random: SeededRandom, startMillis: number): FaultPlan => {
  const freezes = random.chance(0.25) ? random.between(1, 2) : 0
  const orderFreezes = random.chance(0.25) ? 1 : 0
  const isLong = orderFreezes > 0 || random.chance(0.3)
  const faultPlan: FaultPlan = {
    ...drawOrderFaults(random),
    ...drawChainFaults(random),
    orderFreezes,
    aftermathMillis: isLong ? random.pick([280_000, 450_000]) : 0,
    processes: freezes + orderFreezes > 0 || random.chance(0.4) ? 2 : 1,
    skewMillis: random.chance(0.3) ? [random.between(-5_000, 5_000), random.between(-5_000, 5_000)] : [0, 0],
    crashes: random.chance(0.7) ? random.between(1, 3) : 0,
    crashChance: random.pick([0.02, 0.05, 0.1]),
    freezes,
    freezeChance: 0.03,
    storeErrorChance: random.chance(0.2) ? 0.03 : 0,
    slowChance: random.chance(0.4) ? 0.05 : 0,
    slowMillis: random.pick([1_000, 6_000, 40_000]),
    hostErrorChance: random.chance(0.3) ? 0.2 : 0,
    facilitator: drawFacilitator(random),
    node: drawNode(random, startMillis),
    thirdPartyChance: random.chance(0.3) ? 0.5 : 0,
    cancelChance: random.chance(0.15) ? 0.5 : 0,
    lossChance: random.pick([0, 0.2, 0.5]),
    activeMillis: freezes > 0 ? random.pick([60_000, 260_000]) : random.pick([20_000, 40_000, 70_000]),
    maxTimeoutSeconds: random.pick([60, 120, 600]),
    unsettledPerPayer: random.pick([1, 2, 32]),
    isOnePayer: random.chance(0.3),
    isOneRequest: random.chance(0.2)
  }
  return { ...faultPlan, mail: { ...faultPlan.mail, hangs: random.chance(0.1) } }
}

/** The same plan without faults. */
export const withoutFaults = (faultPlan: FaultPlan): FaultPlan => ({
  ...faultPlan,
  skewMillis: [0, 0],
  crashes: 0,
  freezes: 0,
  storeErrorChance: 0,
  slowChance: 0,
  hostErrorChance: 0,
  facilitator: honest,
  node: { lagMillis: 0, down: [] },
  rpcLossChance: 0,
  reorganizations: 0,
  thirdPartyChance: 0,
  cancelChance: 0,
  lossChance: 0,
  orderCrashes: 0,
  orderFreezes: 0,
  placeTransitMillis: 300,
  upstream: reliable,
  mail: { failureChance: 0, rejectionChance: 0, hangs: false },
  operator: { ...faultPlan.operator, processNowChance: 0, cancelOrderChance: 0 }
})
