import type { ChainEvidence } from "../../src/toll/evidence/Chain.ts"
import type { Settlement } from "../../src/toll/facilitator/Facilitator.ts"
import { type ChargeWorldState, withRecord, withSeen } from "./ChargeState.ts"
import { beforeMiningSeconds, minedAtSeconds, secondsOf, type World } from "./ChargeWorld.ts"

/*
 * What a chain and its nodes show of the payment, and what a facilitator does with it.
 */

/** A fact with the state that it leads to. */
export interface Outcome<Fact> {
  readonly label: string
  readonly fact: Fact
  readonly state: ChargeWorldState
}

/** The payment's transfer is in a block. */
export const isInBlock = ({ chain }: ChargeWorldState): boolean => chain === "mined" || chain === "moved"

/** The payment's transfer gets into a block. Without reorganizations, every block is final. */
export const mine = (state: ChargeWorldState, { reorganizations = 0 }: World): ChargeWorldState =>
  withSeen({ ...state, chain: reorganizations > 0 ? "mined" : "moved" }, { moved: true })

/** What a query of the chain may find. What troubles least comes first. */
export const evidencesOf = (state: ChargeWorldState, world: World): ReadonlyArray<Outcome<ChainEvidence>> => {
  const { chain, clock, record, transaction } = state
  const found: Array<Outcome<ChainEvidence>> = []
  const add = (label: string, fact: ChainEvidence) => found.push({ label, fact, state })
  const precedes = record?.precedes === true ? { precedesClaim: true as const } : {}
  const moved = (isFinal: boolean, inTransaction: string): ChainEvidence => ({
    _tag: "Moved",
    transaction: inTransaction,
    logIndex: 0,
    isFinal,
    atSeconds: minedAtSeconds,
    ...precedes
  })
  const notMoved = (chainTimeSeconds: number): ChainEvidence => ({ _tag: "NotMoved", chainTimeSeconds })
  switch (chain) {
    case "mined":
    case "moved":
      if (chain === "moved") add("moved", moved(true, transaction))
      add("confirming", { _tag: "Confirming", transaction })
      if (chain === "mined" || world.reorganizations === undefined)
        add("moved, not final", moved(false, transaction))
      if (world.lag) add("not moved, by a node that lags", notMoved(beforeMiningSeconds))
      break
    case "canceled":
      add("canceled", { _tag: "NotPaid", reason: "canceled" })
      add("used, but not found", { _tag: "Unavailable", isUsed: true })
      break
    default:
      add("not moved", notMoved(secondsOf[clock]))
      if (world.lag && clock !== "open") add("not moved, by a node that lags", notMoved(beforeMiningSeconds))
      if (world.lag && clock === "final")
        add("not moved, by a node that lags behind finality", notMoved(secondsOf.expired))
      if (world.lag && state.reorganizations > 0)
        add("moved, by a node that misses the reorganization", moved(false, transaction))
  }
  add("it can't be read", { _tag: "Unavailable" })
  return found
}

const unknown = (transaction?: string): Settlement => ({ _tag: "Unknown", reason: "timeout", transaction })
const rejected: Settlement = { _tag: "Rejected", reason: "insufficient_funds" }
const settled = (transaction: string): Settlement => ({ _tag: "Settled", transaction, payer: undefined })

/** What a facilitator that gets the payment may do and say. What troubles least comes first. */
export const settlementsOf = (state: ChargeWorldState, world: World): ReadonlyArray<Outcome<Settlement>> => {
  const { chain, clock, transaction } = state
  const lies = world.lies !== undefined && world.lies !== "none"
  const outcomes: Array<Outcome<Settlement>> = []
  const add = (label: string, fact: Settlement, after = state) => outcomes.push({ label, fact, state: after })
  switch (chain) {
    case "mined":
    case "moved":
      add("settled already", settled(transaction))
      add("refused, since the money has left", rejected)
      break
    case "flight":
      add("pending", unknown(transaction))
      add("settled", settled(transaction), mine(state, world))
      add("refused, while it is in flight", rejected)
      break
    case "unsent":
      if (clock !== "open") add("refused as expired", rejected)
      else {
        const sent: ChargeWorldState = { ...state, chain: "flight" }
        add("settled", settled(transaction), mine(state, world))
        add("sent, its response is lost", unknown(), sent)
        add("sent, pending", unknown(transaction), sent)
        add("refused", rejected)
        if (lies) add("sent, and it says refused", rejected, sent)
      }
      break
    default:
      add("refused, since it can't move", rejected)
  }
  add("nothing is sent, no response", unknown())
  if (lies) {
    add("it lies: settled", settled("invented"))
    add("it lies: pending", unknown("invented"))
  }
  return outcomes
}

/** What the chain does by itself. */
export const chainMoves = (
  state: ChargeWorldState,
  world: World
): ReadonlyArray<{ readonly label: string; readonly to: ChargeWorldState }> => {
  const { chain, clock } = state
  const moves: Array<{ label: string; to: ChargeWorldState }> = []
  const isUnused = chain === "unsent" || chain === "flight"
  if (chain === "flight" && clock !== "final") {
    moves.push({ label: "chain: mines the payment", to: mine(state, world) })
    moves.push({ label: "chain: drops the payment", to: { ...state, chain: "unsent" } })
  }
  if (chain === "mined") {
    moves.push({ label: "chain: the block becomes final", to: { ...state, chain: "moved" } })
    if (state.reorganizations < (world.reorganizations ?? 0)) {
      const undone = withRecord({ ...state, reorganizations: state.reorganizations + 1 }, { precedes: false })
      // The block that a claim recorded may be gone, too, and then proves nothing.
      const again = {
        ...undone,
        processes: undone.processes.map((process) =>
          process.head === true ? { ...process, head: false } : process
        )
      }
      const back: ChargeWorldState = { ...again, chain: clock === "final" ? "dead" : "unsent" }
      moves.push({ label: "chain: a reorganization drops the payment", to: back })
      if (clock !== "final")
        moves.push({
          label: "chain: a reorganization drops the payment, which is sent again",
          to: { ...again, chain: "flight", transaction: "second" }
        })
      moves.push({
        label: "chain: a reorganization moves the payment to another transaction",
        to: { ...again, transaction: "second" }
      })
    }
  }
  if (isUnused && clock !== "final") {
    if (world.cancels)
      moves.push({ label: "payer: cancels the payment", to: { ...state, chain: "canceled" } })
    if (world.payerSends && !state.seen.byPayer) {
      const sent = mine({ ...state, transaction: "second" }, world)
      moves.push({ label: "payer: sends the payment to the chain", to: withSeen(sent, { byPayer: true }) })
    }
  }
  return moves
}
