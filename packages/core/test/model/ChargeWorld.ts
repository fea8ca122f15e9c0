import type { Signature, Request } from "./ChargeState.ts"

/*
 * How to read a world
 * ===================
 *
 * The charge machine decides, in one process, which plan follows an event. A world is everything around it: the store,
 * the chain, the facilitator, the clock, callers, and the other processes. `explore` (Checker.ts) walks all states that
 * the real machine can reach in it.
 *
 * - `ChargeState.ts` is a state: the record with its lease, the chain, each process with its current plan, and what the
 *   judge remembers.
 * - `CallOutcomes.ts` and `SettlementOutcomes.ts` are the world's answers. For each step they list every outcome that
 *   the contract of the step allows: an event, and the state after it. `StoreModel.ts` is the store's contract
 *   (`ports/ChargeMethods.ts`), `ChainModel.ts` chain and facilitator.
 * - `ChargeModel.ts` gives the event to the real `next` and moves the process to the plan that it returns. Processes may
 *   crash before any step.
 * - `OwnMoves.ts` lists what happens by itself: time passes, leases expire, blocks appear, refunds are sent.
 * - `ChargeJudge.ts` says what must never happen, in money.
 * - `worlds.ts` is the table of configurations. Each is explored completely.
 * - `readingMutants.ts` and `decidingMutants.ts` break the machine in one place at a time. The worlds must notice it.
 *
 * The world is written from the contracts and the vocabulary of the steps (`ChargeStep.ts`), and doesn't know which step
 * the machine should choose. A step is performed and decided at once; between two steps of a process, everything else
 * may happen. That covers a process that is slow: it may perform its next step long after its lease expired.
 *
 * A story reads top to bottom: `call 1: Settle: sent, its response is lost` is what a process did and met. The last line
 * describes the state that breaks a rule.
 *
 * `node --conditions=@till402/source packages/core/test/model/main.ts [name]` explores the worlds and prints a table.
 */

/** A call that presents the payment. */
export interface Caller {
  readonly request: Request
  readonly signature: Signature
  /** How often it presents the payment, one after another; default 1. */
  readonly times?: number
}

/** What a facilitator may do besides telling the truth. `response`: it lies about what it did, or says nothing. */
export type FacilitatorLies = "none" | "response"

/** A configuration. All faults are off unless named. */
export interface World {
  readonly name: string
  readonly callers: ReadonlyArray<Caller>
  /** Reconcilers, each in a process of its own. */
  readonly reconcilers: number
  /** They begin when no call runs, and no call begins while one runs: much smaller, where calls are what matters. */
  readonly reconcilesApart?: true
  /** Processes crash between two steps; also covers a store that fails before or after a write. */
  readonly crashes?: true
  /** The payment settles before the work. */
  readonly settlesFirst?: true
  /** A settlement counts only when the chain shows it. */
  readonly proofRequired?: true
  /** No chain can be read. */
  readonly blind?: true
  /** The work prepares an order, which the settlement releases. */
  readonly orders?: true
  readonly lies?: FacilitatorLies
  /** Nodes lag: they don't show yet what has moved, or still show what a reorganization undid. */
  readonly lag?: true
  /** Reorganizations that may undo a transfer. */
  readonly reorganizations?: number
  /** An operator refunds by other means, without waiting for a final block. */
  readonly manualRefunds?: true
  /** The payer cancels the payment on the chain. */
  readonly cancels?: true
  /** The payer sends the payment to the chain itself. */
  readonly payerSends?: true
  /** Limits are reached, and takeovers used up. */
  readonly limits?: true
  /** All calls are in one process, which passes refusals on to waiting copies. */
  readonly together?: true
  /** Recorded responses expire, and are replayed for a short time only. */
  readonly expires?: true
  /** The stored payment can't be decrypted after a takeover. */
  readonly unreadable?: true
  /** Of each step's outcomes only the first, which troubles least; time passes at the end. */
  readonly calm?: true
  /** One call after another: the second begins when the first has ended. */
  readonly inSequence?: true
  /** The time in which only a late block can have the payment is left out. */
  readonly shortClock?: true
}

/** Seconds of each class of the clock. */
export const secondsOf = { open: 50, expired: 120, final: 300 } as const
/** When the payment expires, in seconds. */
export const validBeforeSeconds = 100
export const finalitySeconds = 50
/** When the block of a transfer was mined, and just before it. */
export const minedAtSeconds = 55
export const beforeMiningSeconds = 54
/** A time that never comes. */
export const farMillis = 9e15
