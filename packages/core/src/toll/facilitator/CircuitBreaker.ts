const failuresToOpen = 3
const firstPauseMillis = 10_000
const maxPauseMillis = 120_000

/**
 * The health of one facilitator, in this process. It opens after three failures in a row; then one call may try again
 * after 10 seconds, and after twice as long, up to two minutes, each time that call fails. A success closes it.
 */
export class CircuitBreaker {
  private failures = 0
  private pauseMillis = 0
  private openUntilMillis = 0

  /** Whether calls may be made: it is closed, or its pause is over. */
  isAvailable(nowMillis: number): boolean {
    return nowMillis >= this.openUntilMillis
  }

  /** Whether no pause is under way, so that {@link begin} has nothing to do. */
  get isClosed(): boolean {
    return this.pauseMillis === 0
  }

  /** Before a call. Of many calls after a pause, the first one tries: the others see an open circuit. */
  begin(nowMillis: number): void {
    if (this.pauseMillis > 0 && this.isAvailable(nowMillis))
      this.openUntilMillis = nowMillis + this.pauseMillis
  }

  recordSuccess(): void {
    this.failures = 0
    this.pauseMillis = 0
    this.openUntilMillis = 0
  }

  /** Returns whether this failure opened the circuit. */
  recordFailure(nowMillis: number): boolean {
    this.failures++
    if (this.failures < failuresToOpen) return false
    const wasClosed = this.pauseMillis === 0
    this.pauseMillis = wasClosed ? firstPauseMillis : Math.min(maxPauseMillis, this.pauseMillis * 2)
    this.openUntilMillis = nowMillis + this.pauseMillis
    return wasClosed
  }
}
