const failuresToOpen = 3
const pauseMillis = 30_000

/**
 * The health of one facilitator, in this process. It opens after three failures in a row; then one call may try again
 * every 30 seconds. A success closes it.
 */
export class CircuitBreaker {
  private failures = 0
  private openUntilMillis = 0

  /** Whether calls may be made: it is closed, or its pause is over. */
  isAvailable(nowMillis: number): boolean {
    return nowMillis >= this.openUntilMillis
  }

  /** Whether no pause is under way, so that {@link begin} has nothing to do. */
  get isClosed(): boolean {
    return this.failures < failuresToOpen
  }

  /** Before a call. Of many calls after a pause, the first one tries: the others see an open circuit. */
  begin(nowMillis: number): void {
    if (!this.isClosed && this.isAvailable(nowMillis)) this.openUntilMillis = nowMillis + pauseMillis
  }

  recordSuccess(): void {
    this.failures = 0
    this.openUntilMillis = 0
  }

  /** Returns whether this failure opened the circuit. */
  recordFailure(nowMillis: number): boolean {
    this.failures++
    if (this.isClosed) return false
    this.openUntilMillis = nowMillis + pauseMillis
    return this.failures === failuresToOpen
  }
}
