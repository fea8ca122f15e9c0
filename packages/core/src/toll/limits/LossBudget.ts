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
    this.left = this.capped(this.left + atomic * hourMillis)
  }

  /** The share that is used, 0 to 1; more after an amount above the rest was taken from a full bucket. */
  usedAt(nowMillis: number): number {
    const used = this.size - this.leftAt(Math.floor(nowMillis))
    // Without a budget, each debt is all of it.
    return Number(used) / Number(this.size || used || 1n)
  }

  private refill(nowMillis: number): void {
    this.left = this.leftAt(nowMillis)
    // A clock that was set back refills nothing, and counts from its new time.
    this.atMillis = nowMillis
  }

  private leftAt(nowMillis: number): bigint {
    const elapsed = nowMillis - this.atMillis
    return elapsed > 0 && this.left < this.size
      ? this.capped(this.left + this.perHour * BigInt(elapsed))
      : this.left
  }

  private capped(amount: bigint): bigint {
    return amount > this.size ? this.size : amount
  }
}
