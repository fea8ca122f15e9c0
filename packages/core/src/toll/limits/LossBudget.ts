const hourMillis = 3_600_000n

/**
 * Limits the money that may be lost per hour on work for payers whose payment may never settle.
 *
 * A token bucket that refills linearly over an hour. An amount above the whole budget can be taken from a full bucket,
 * so one call is always possible; its debt delays the next call. Amounts are atomic units. Counts one process.
 */
export class LossBudget {
  private readonly perHour: bigint
  private readonly size: bigint
  /**
   * The remaining amount, in atomic units times the milliseconds of an hour: exact without fractions. May be negative.
   */
  private left: bigint
  private atMillis = 0

  constructor(budget: { readonly perHourAtomic: bigint }) {
    this.perHour = budget.perHourAtomic
    this.size = this.perHour * hourMillis
    this.left = this.size
  }

  /**
   * Takes an amount, and leaves the reserved one for others; `false`: the budget is used up for now, and nothing was
   * taken.
   */
  take(atomic: bigint, nowMillis: number, reservedAtomic = 0n): boolean {
    this.refill(Math.floor(nowMillis))
    const amount = atomic * hourMillis
    if (amount + reservedAtomic * hourMillis > this.left && this.left < this.size) return false
    this.left -= amount
    return true
  }

  /** Gives back an amount that was taken: the call settled, or did no work. */
  giveBack(atomic: bigint): void {
    this.fill(atomic * hourMillis)
  }

  private refill(nowMillis: number): void {
    const elapsed = nowMillis - this.atMillis
    // A clock that was set back refills nothing, and counts from its new time.
    this.atMillis = nowMillis
    if (elapsed > 0 && this.left < this.size) this.fill(this.perHour * BigInt(elapsed))
  }

  private fill(amount: bigint): void {
    this.left += amount
    if (this.left > this.size) this.left = this.size
  }
}
