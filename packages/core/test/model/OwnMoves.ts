import { chainMoves } from "./ChainModel.ts"
import { type ChargeWorldState, type Recorded, withRecord, withSeen } from "./ChargeState.ts"
import type { World } from "./ChargeWorld.ts"
import type { Move } from "./Checker.ts"

/*
 * What happens by itself: time passes, blocks appear, refunds are sent, refused payments are cleared in bulk.
 */

type OwnMove = Move<ChargeWorldState>

const clockMoves = (
  state: ChargeWorldState,
  { shortClock = false }: { readonly shortClock?: boolean }
): Array<OwnMove> => {
  const { chain, clock } = state
  if (clock === "final") return []
  if (clock === "open" && !shortClock)
    return [{ label: "time: the payment expires", to: { ...state, clock: "expired" } }]
  const isUnused = chain === "unsent" || chain === "flight"
  const to: ChargeWorldState = { ...state, clock: "final", chain: isUnused ? "dead" : chain }
  return [{ label: "time: no block can have the payment any more", to }]
}

const timeMoves = (
  state: ChargeWorldState,
  record: Recorded,
  world: World,
  nameOf: (index: number) => string
) => {
  const { held, owed, owner, response } = record
  const moves: Array<OwnMove> = []
  const holder = owner < 0 ? "a process that ended" : nameOf(owner)
  if (held)
    moves.push({ label: `time: the lease of ${holder} expires`, to: withRecord(state, { held: false }) })
  if (owed === "yes")
    moves.push({
      label: "time: the response is owed for too long",
      to: withRecord(state, { owed: "lapsed" })
    })
  if (world.expires && record.state === "settled" && response === "recorded")
    moves.push({
      label: "time: the recorded response expires",
      to: withRecord(state, { response: "expired" })
    })
  return moves
}

/** A refund waits until the transfer is final, and is sent only for what moved. An operator may not wait. */
const refundMoves = (
  state: ChargeWorldState,
  record: Recorded,
  { blind, manualRefunds }: World
): Array<OwnMove> => {
  if (record.state !== "settled" || record.refund !== "due") return []
  const mayBeSent = !record.awaitsFinality && (blind === true || state.chain === "moved")
  if (manualRefunds !== true && !mayBeSent) return []
  const to = withSeen(withRecord(state, { refund: "sent" }), { refunds: state.seen.refunds + 1 })
  return [{ label: "refunds: the refund is sent", to }]
}

/** What was refused and can't move any more is cleared in bulk. */
const clearingMoves = (
  state: ChargeWorldState,
  record: Recorded,
  { blind, reconcilers }: World
): Array<OwnMove> => {
  const isVoided = record.state === "voided" && !record.held && !record.subject && record.refund === "none"
  const isOver = blind === true ? state.clock !== "open" : state.chain === "dead"
  return reconcilers > 0 && isVoided && isOver
    ? [{ label: "reconciler: clears what was refused", to: { ...state, record: undefined } }]
    : []
}

/** Everything that may happen while no process does anything. */
export const movesByThemselves = (
  state: ChargeWorldState,
  world: World,
  nameOf: (index: number) => string
): Array<OwnMove> => {
  const { processes, record } = state
  if (world.calm && processes.some(({ left, plan }) => left > 0 || plan >= 0)) return []
  const moves = [...chainMoves(state, world), ...clockMoves(state, world)]
  if (record === undefined) return moves
  return [
    ...moves,
    ...timeMoves(state, record, world, nameOf),
    ...refundMoves(state, record, world),
    ...clearingMoves(state, record, world)
  ]
}
