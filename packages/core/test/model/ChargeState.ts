import type { ChargeState } from "../../src/ports/Charge.ts"

/*
 * A state of the charge world: what the store holds, what the chain knows, where each process is. Small, so that all
 * states of a configuration fit into memory. Times are classes, not numbers.
 */

/** `open`: the payment is valid. `expired`: a late block may still have it. `final`: it can't move any more. */
export type ClockClass = "open" | "expired" | "final"

/**
 * What the chain did with the payment. `flight`: sent, in no block. `mined`: in a block that can be reorganized.
 * `moved`: in a final block. `canceled`: its nonce is used and paid nothing. `dead`: it expired unused.
 */
export type ChainState = "unsent" | "flight" | "mined" | "moved" | "canceled" | "dead"

/** A transaction of the payment. After a reorganization it may be another one. `invented`: by a lying facilitator. */
export type Transaction = "first" | "second" | "invented"

/** The record of the payment, as the store holds it. */
export interface Recorded {
  readonly state: ChargeState
  /** The request that claimed it. */
  readonly request: Request
  readonly signature: Signature
  /** The process that holds or held its lease; -1: one that ended, whose name no other process has. */
  readonly owner: number
  /** Its lease runs. */
  readonly held: boolean
  readonly response: "none" | "recorded" | "expired"
  readonly subject: boolean
  readonly exposure: boolean
  /** What another settlement needs is stored. */
  readonly payment: boolean
  readonly receipt: Transaction | "none"
  readonly proven: boolean
  readonly effectPending: boolean
  readonly refund: "none" | "due" | "sent"
  readonly awaitsFinality: boolean
  readonly owed: "no" | "yes" | "lapsed"
  /** The chain had the transfer before the payment was presented. */
  readonly precedes: boolean
  /** The signature that was refused after its claim. */
  readonly refused: Signature | "none"
}

export type Request = "A" | "B"
/** `own`: that of the payer. `again`: the payer signed the same authorization twice. `forged`: somebody else's. */
export type Signature = "own" | "again" | "forged"

/** A process: a call, or the reconciler. */
export interface Process {
  /** The number of its plan; -1: none. */
  readonly plan: number
  /** Calls it may still begin. */
  readonly left: number
  /** It holds or held the charge: facts are those of the charge. */
  readonly holds: boolean
  /** It has not given the lease up that it took last; time may have ended it. */
  readonly isLeased: boolean
  /** `workIsDue` of its facts. */
  readonly due: boolean
  /** It has the payment at hand, and so can settle it. */
  readonly payment: boolean
  readonly subject: boolean
  /**
   * `worked`: a response of its own work that is not recorded; `own`: one that is. `recorded`: that of a charge which it
   * took over; `foreign`: one that another request or signature bought.
   */
  readonly result: "none" | "worked" | "own" | "recorded" | "foreign" | "failed"
  /** The chain had the transfer when the payment was presented; `undefined`: not read yet. */
  readonly head: boolean | undefined
  /** It verifies the payment: copies in the same process wait. */
  readonly guards: boolean
  /** The facilitator has not verified the payment as valid. */
  readonly isUnverified: boolean
  /** The number of the refusal that a copy of its payment got since it began; -1: none. */
  readonly copyRefused: number
}

/** A state of the world. */
export interface ChargeWorldState {
  readonly clock: ClockClass
  readonly chain: ChainState
  readonly transaction: Transaction
  readonly reorganizations: number
  readonly record: Recorded | undefined
  readonly processes: ReadonlyArray<Process>
  /** The order that the work prepares. */
  readonly order: "none" | "prepared" | "applied" | "abandoned"
  /** Memory of the judge. */
  readonly seen: Seen
}

/** What callers have read and what the ledger has entered: memory of the judge, which no process reads. */
export interface Seen {
  /** Settlements entered, less those reversed. */
  readonly settlements: number
  readonly refunds: number
  /** The money was in a block at some time. */
  readonly moved: boolean
  /** The payer sent the payment to the chain, and not the facilitator. */
  readonly byPayer: boolean
  readonly served: boolean
  /** A caller read that nothing was charged, while the payment was still under way. */
  readonly toldFree: boolean
  /** A caller read that the payment is refunded. */
  readonly toldRefund: boolean
}

export const idle = (left: number, due: boolean): Process => ({
  plan: -1,
  left,
  holds: false,
  isLeased: false,
  due,
  payment: true,
  subject: false,
  result: "none",
  head: undefined,
  guards: false,
  isUnverified: false,
  copyRefused: -1
})

/** A new record, claimed by a process. */
export const claimedRecord = (
  owner: number,
  facts: Pick<Recorded, "request" | "signature" | "exposure" | "precedes" | "refused">
): Recorded => ({
  ...facts,
  state: "claimed",
  owner,
  held: true,
  response: "none",
  subject: false,
  payment: true,
  receipt: "none",
  proven: false,
  effectPending: false,
  refund: "none",
  awaitsFinality: false,
  owed: "no"
})

/** Whether the store still lists the charge as unfinished: see `takeOver` of `ChargeMethods`. */
export const isUnfinished = ({ awaitsFinality, effectPending, owed, state }: Recorded): boolean =>
  state !== "settled" || effectPending || awaitsFinality || owed !== "no"

/** The state with changes of its record. */
export const withRecord = (state: ChargeWorldState, changes: Partial<Recorded>): ChargeWorldState =>
  state.record === undefined ? state : { ...state, record: { ...state.record, ...changes } }

/** The state with changes of one process. */
export const withProcess = (
  state: ChargeWorldState,
  index: number,
  changes: Partial<Process>
): ChargeWorldState => ({
  ...state,
  processes: state.processes.map((process, at) => (at === index ? { ...process, ...changes } : process))
})

export const withSeen = (state: ChargeWorldState, changes: Partial<Seen>): ChargeWorldState => ({
  ...state,
  seen: { ...state.seen, ...changes }
})

const bit = (flag: boolean): string => (flag ? "1" : "0")

/** A number whose bits are flags. */
const packed = (...flags: ReadonlyArray<boolean>): number => {
  let bits = 0
  for (const flag of flags) bits = bits * 2 + (flag ? 1 : 0)
  return bits
}

/** Text that is the same for equal records. */
export const keyOfRecord = (record: Recorded | undefined): string => {
  if (record === undefined) return "-"
  const { awaitsFinality, effectPending, exposure, held, payment, precedes, proven, subject } = record
  const { owed, owner, receipt, refund, refused, request, response, signature, state } = record
  const flags = packed(awaitsFinality, effectPending, exposure, held, payment, precedes, proven, subject)
  return `${state[0]}${request}${signature[0]}${response[0]}${receipt[0]}${refund[0]}${refused[0]}${owed[0]}${owner},${flags}`
}

const keyOfProcess = (process: Process): string => {
  const { copyRefused, due, guards, head, holds, isLeased, isUnverified, left } = process
  const { payment, plan, result, subject } = process
  const flags = packed(
    head !== undefined,
    head === true,
    holds,
    isLeased,
    due,
    payment,
    subject,
    guards,
    isUnverified
  )
  return `${plan},${left},${flags}${result[0]}${result[1]}${copyRefused}`
}

/**
 * Text that is the same for equal states. Of two calls that present the same, either may be the first: `hasTwins`. Then
 * states that differ only in that are one.
 */
export const keyOfState = (state: ChargeWorldState, hasTwins: boolean): string => {
  const key = plainKeyOf(state)
  if (!hasTwins) return key
  const [first, second, ...others] = state.processes
  const owner = state.record?.owner
  const swapped = {
    ...state,
    record: owner === 0 || owner === 1 ? { ...state.record!, owner: 1 - owner } : state.record,
    processes: [second!, first!, ...others]
  }
  const twin = plainKeyOf(swapped)
  return twin < key ? twin : key
}

const plainKeyOf = (state: ChargeWorldState): string => {
  const { chain, clock, order, processes, record, reorganizations, seen, transaction } = state
  const { byPayer, moved, refunds, served, settlements, toldFree, toldRefund } = seen
  const flags = `${bit(byPayer)}${bit(moved)}${bit(served)}${bit(toldFree)}${bit(toldRefund)}`
  return `${clock[0]}${chain[0]}${chain[1]}${transaction[0]}${reorganizations}${order[1]}${settlements}${refunds}${flags}|${keyOfRecord(record)}|${processes.map(keyOfProcess).join(" ")}`
}
