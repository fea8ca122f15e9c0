import type { FairPool } from "./FairPool.ts"
import type { TakenLoss } from "./StrangerLosses.ts"

/** An amount that the host may lose, and what covers it: the payer's earlier payments, or the budget for losses. */
export interface Stake {
  readonly atomic: bigint
  readonly from: "cover" | TakenLoss
}

/**
 * What one call has learned about its payment and payer, holds of the limits, and has done so far. Changed by
 * `Admission` and its parts, and by the steps that work and settle.
 */
export class AdmissionTicket {
  private proven = false
  private known: boolean | undefined = undefined
  private verificationMillis = 0
  private guarding = false
  private guarded = false
  private counted = false
  private stake: Stake | undefined = undefined
  private place: { readonly pool: FairPool; readonly holder: string } | undefined = undefined
  private worked = false
  private failed = false
  private settled = false
  private paidFirst = false
  private delivered = false
  private close: (() => void) | undefined = undefined

  /** The signature was checked, here or on the chain: it is the payer's own. */
  get isProven(): boolean {
    return this.proven
  }

  /** Whether the payer has settled here within a day, if the store was read for it. */
  get isKnown(): boolean | undefined {
    return this.known
  }

  /** When the facilitator started to verify the payment; 0: it didn't. */
  get verifiedAtMillis(): number {
    return this.verificationMillis
  }

  /** Copies of the payment in this process have waited for this call to verify it. */
  get hasGuarded(): boolean {
    return this.guarded
  }

  /** Counted among the unsettled payments of this process. */
  get isCounted(): boolean {
    return this.counted
  }

  get hasStake(): boolean {
    return this.stake !== undefined
  }

  /** Work of this call has failed. */
  get hasFailed(): boolean {
    return this.failed
  }

  /**
   * Work was done, or has failed, and the payment has not settled in this call; or, if it had settled before, its
   * response was not delivered.
   */
  get hasLostWork(): boolean {
    return (this.worked || this.failed) && !(this.paidFirst ? this.delivered : this.settled)
  }

  recordProof(isProven: boolean): void {
    this.proven = isProven
  }

  recordPayer(isKnown: boolean): void {
    this.known = isKnown
  }

  recordVerification(startMillis: number): void {
    this.verificationMillis = startMillis
  }

  recordWork(): void {
    this.worked = true
  }

  recordFailure(): void {
    this.failed = true
  }

  recordSettlement(): void {
    this.settled = true
  }

  /** The work starts after its payment has settled. */
  recordPaidFirst(): void {
    this.paidFirst = true
  }

  recordDelivery(): void {
    this.delivered = true
  }

  /** Counted among the open calls of its payer. */
  get isOpen(): boolean {
    return this.close !== undefined
  }

  /** Counts among the open calls of its payer from now on. `close` ends that. */
  open(close: () => void): void {
    this.close = close
  }

  /** Whether the call was among the open ones until now. */
  stopBeingOpen(): boolean {
    const { close } = this
    this.close = undefined
    close?.()
    return close !== undefined
  }

  startGuarding(): void {
    this.guarding = true
    this.guarded = true
  }

  /** Whether copies of the payment were waiting for this call until now. */
  stopGuarding(): boolean {
    const wasGuarding = this.guarding
    this.guarding = false
    return wasGuarding
  }

  startCounting(): void {
    this.counted = true
  }

  /** Whether the call was counted until now. */
  stopCounting(): boolean {
    const wasCounted = this.counted
    this.counted = false
    return wasCounted
  }

  takeStake(stake: Stake): void {
    this.stake = stake
  }

  /** Clears the stake and returns it, so that it can be given back. */
  giveBackStake(): Stake | undefined {
    const { stake } = this
    this.stake = undefined
    return stake
  }

  /** The client or payer in whose name this call holds a verification slot. */
  get placeHolder(): string | undefined {
    return this.place?.holder
  }

  /** Records that a verification slot was taken, for a client or payer. */
  takePlace(pool: FairPool, holder: string): void {
    this.place = { pool, holder }
  }

  /** Gives that slot back, if there is one. */
  leavePlace(): void {
    this.place?.pool.leave(this.place.holder)
    this.place = undefined
  }
}
