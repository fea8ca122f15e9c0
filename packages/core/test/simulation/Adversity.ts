import type { Fate } from "./Fate.ts"
import type { NodeCondition } from "./chain/RpcNode.ts"
import type { MailTemper } from "./SimulatedMailer.ts"
import type { OperatorTemper } from "./SimulatedOperator.ts"
import { drawUpstreamTemper, reliable, type UpstreamTemper } from "./UpstreamCharacter.ts"
import { blockMillis } from "./chain/SimulatedChain.ts"
import { type FacilitatorTemper, honest, type SettleManner } from "./SimulatedFacilitator.ts"

/** How hard a world is on its inhabitants: drawn once from its seed. */
export interface Adversity {
  readonly processes: 1 | 2
  /** How far the clock of each process is off. */
  readonly skewMillis: ReadonlyArray<number>
  /** Crashes at most, and how likely a call is struck by one. */
  readonly crashes: number
  readonly crashChance: number
  /** The same for machines that are suspended for a while. */
  readonly freezes: number
  readonly freezeChance: number
  /** How likely a verb of the store fails, done or not. */
  readonly storeErrorChance: number
  /** How likely an answer takes long, and how long then. */
  readonly slowChance: number
  readonly slowMillis: number
  /** Host functions that fail. */
  readonly hostErrorChance: number
  readonly temper: FacilitatorTemper
  readonly node: NodeCondition
  /** How likely a request to the node, or its response, is lost. */
  readonly rpcLossChance: number
  /** Attackers, who have accounts of their own and compose transactions. */
  readonly attackers: number
  /** Times that the latest blocks are replaced, and at most how many of them. */
  readonly reorganizations: number
  readonly reorganizationDepth: number
  /** Confirmations that the till waits for, and when it takes a transfer for final. */
  readonly confirmations: number
  readonly finalitySeconds: number
  /** How likely an honest payer can't pay for everything they want. */
  readonly poorChance: number
  /** Searches are settled before their work. */
  readonly settlesFirst: boolean
  /** How likely a payment is sent to the chain by somebody else, or cancelled by its payer. */
  readonly thirdPartyChance: number
  readonly cancelChance: number
  /** How likely an answer is lost on its way to the client. */
  readonly lossChance: number
  /** How long things go on before the world heals. */
  readonly activeMillis: number
  /** Seconds that payments are valid for at most. */
  readonly maxTimeoutSeconds: number
  /** Unsettled payments that one payer may have. */
  readonly unsettledPerPayer: number
  /** All clients pay from one account, and all want the same. */
  readonly isOnePayer: boolean
  readonly isOneWish: boolean
  /** What befalls the processes in steps of orders, beside the rest. */
  readonly orderCrashes: number
  readonly orderFreezes: number
  readonly orderStrikeChance: number
  /** How long a placement takes at most until upstream has it. */
  readonly placeWayMillis: number
  /** How long troubles go on for orders that are under way by then. */
  readonly aftermathMillis: number
  /** Somebody else who only buys. */
  readonly hasBuyer: boolean
  readonly upstream: UpstreamTemper
  readonly mail: MailTemper
  readonly operator: OperatorTemper
}

const faults: ReadonlyArray<Exclude<SettleManner, "clean">> = [
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

const drawTemper = (fate: Fate): FacilitatorTemper => {
  if (fate.chance(0.25)) return honest
  const settle: Record<SettleManner, number> = { ...honest.settle, clean: fate.pick([0.5, 2, 4]) }
  for (let count = fate.between(1, 3); count > 0; count--) settle[fate.pick(faults)] = 1
  const unreliable = fate.chance(0.3) ? 0.2 : 0
  return { settle, verify: { clean: 1, breaks: unreliable, silent: unreliable / 2 } }
}

const drawNode = (fate: Fate, startMillis: number): NodeCondition => {
  const fromMillis = startMillis + fate.between(0, 60_000)
  return {
    lagMillis: fate.chance(0.4) ? fate.pick([500, 3_000, 15_000, 45_000]) : 0,
    down: fate.chance(0.3) ? [[fromMillis, fromMillis + fate.pick([5_000, 60_000, 400_000])]] : []
  }
}

const drawOrderTroubles = (fate: Fate) => ({
  orderCrashes: fate.chance(0.5) ? fate.between(1, 2) : 0,
  orderStrikeChance: fate.pick([0.1, 0.3]),
  placeWayMillis: fate.pick([300, 300, 4_000]),
  hasBuyer: fate.chance(0.5),
  upstream: drawUpstreamTemper(fate),
  mail: {
    failureChance: fate.pick([0, 0, 0.3]),
    rejectionChance: fate.chance(0.1) ? 0.3 : 0
  },
  operator: {
    hurryChance: fate.pick([0, 0, 0.1, 0.5]),
    givingUpChance: fate.chance(0.2) ? 0.05 : 0,
    paysBack: fate.chance(0.4)
  }
})

const drawChainTroubles = (fate: Fate) => {
  const isReorganized = fate.chance(0.2)
  const finalityBlocks = fate.pick([6, 15, 30])
  return {
    rpcLossChance: fate.chance(0.2) ? 0.05 : 0,
    attackers: fate.chance(0.45) ? fate.between(1, 2) : 0,
    reorganizations: isReorganized ? fate.between(1, 4) : 0,
    reorganizationDepth: fate.between(1, finalityBlocks - 2),
    confirmations: fate.between(1, 3),
    finalitySeconds: (finalityBlocks * blockMillis) / 1_000,
    poorChance: fate.chance(0.2) ? 0.5 : 0,
    settlesFirst: fate.chance(0.25)
  }
}

/** What a seed has in store. Most worlds lack most troubles: where all come at once, none is seen to matter. */
export const drawAdversity = (fate: Fate, startMillis: number): Adversity => {
  const freezes = fate.chance(0.25) ? fate.between(1, 2) : 0
  const orderFreezes = fate.chance(0.25) ? 1 : 0
  const isLong = orderFreezes > 0 || fate.chance(0.3)
  return {
    ...drawOrderTroubles(fate),
    ...drawChainTroubles(fate),
    orderFreezes,
    aftermathMillis: isLong ? fate.pick([280_000, 450_000]) : 0,
    processes: freezes + orderFreezes > 0 || fate.chance(0.4) ? 2 : 1,
    skewMillis: fate.chance(0.3) ? [fate.between(-5_000, 5_000), fate.between(-5_000, 5_000)] : [0, 0],
    crashes: fate.chance(0.7) ? fate.between(1, 3) : 0,
    crashChance: fate.pick([0.02, 0.05, 0.1]),
    freezes,
    freezeChance: 0.03,
    storeErrorChance: fate.chance(0.2) ? 0.03 : 0,
    slowChance: fate.chance(0.4) ? 0.05 : 0,
    slowMillis: fate.pick([1_000, 6_000, 40_000]),
    hostErrorChance: fate.chance(0.3) ? 0.2 : 0,
    temper: drawTemper(fate),
    node: drawNode(fate, startMillis),
    thirdPartyChance: fate.chance(0.3) ? 0.5 : 0,
    cancelChance: fate.chance(0.15) ? 0.5 : 0,
    lossChance: fate.pick([0, 0.2, 0.5]),
    activeMillis: freezes > 0 ? fate.pick([60_000, 260_000]) : fate.pick([20_000, 40_000, 70_000]),
    maxTimeoutSeconds: fate.pick([60, 120, 600]),
    unsettledPerPayer: fate.pick([1, 2, 32]),
    isOnePayer: fate.chance(0.3),
    isOneWish: fate.chance(0.2)
  }
}

/** A world without troubles. */
export const healed = (adversity: Adversity): Adversity => ({
  ...adversity,
  skewMillis: [0, 0],
  crashes: 0,
  freezes: 0,
  storeErrorChance: 0,
  slowChance: 0,
  hostErrorChance: 0,
  temper: honest,
  node: { lagMillis: 0, down: [] },
  rpcLossChance: 0,
  reorganizations: 0,
  thirdPartyChance: 0,
  cancelChance: 0,
  lossChance: 0,
  orderCrashes: 0,
  orderFreezes: 0,
  placeWayMillis: 300,
  upstream: reliable,
  mail: { failureChance: 0, rejectionChance: 0 },
  operator: { ...adversity.operator, hurryChance: 0, givingUpChance: 0 }
})
