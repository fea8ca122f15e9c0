/*
 * Rye places a limited number of an account's orders at the same time: https://rye.com/docs/api-v2/rate-limits. An
 * order over the limit would be refused when it is confirmed.
 */

/** An order counts for this long if nothing is heard of it. Rye takes minutes to place one. */
const longestMillis = 600_000

/** The pause until an order may be placed. */
const retryAfterMillis = 15_000

/** The orders that Rye is placing, in this process's memory. */
export class OrdersAtOnce {
  private readonly limit: number
  /** When each began, by its intent. */
  private readonly begun = new Map<string, number>()

  constructor(limit: number) {
    this.limit = limit
  }

  /** Counts an order. If there are as many as the limit, returns the milliseconds until it should be tried again. */
  enter(reference: string, nowMillis: number): number | undefined {
    for (const [each, atMillis] of this.begun) {
      if (atMillis + longestMillis <= nowMillis) this.begun.delete(each)
    }
    if (!this.begun.has(reference) && this.begun.size >= this.limit) return retryAfterMillis
    this.begun.set(reference, nowMillis)
    return undefined
  }

  /** An order that Rye is no longer placing. */
  leave(reference: string): void {
    this.begun.delete(reference)
  }
}
