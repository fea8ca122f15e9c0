const maxKeys = 10_000

/**
 * How often calls may have one payment of unknown outcome settled again: each time asks the chain and the
 * facilitator, and a caller may retry as fast as it likes. Counts in spans of time, by key, bounded.
 */
export class RetryBudget {
  private readonly spans = new Map<string, { count: number; readonly untilMillis: number }>()
  private readonly times: number
  private readonly spanMillis: number

  constructor(budget: { readonly times: number; readonly spanMillis: number }) {
    this.times = budget.times
    this.spanMillis = budget.spanMillis
  }

  /** Takes one from the budget of a key; `false` where it is used up for now. */
  take(key: string, nowMillis: number): boolean {
    const span = this.spans.get(key)
    if (span !== undefined && span.untilMillis > nowMillis) {
      span.count++
      return span.count <= this.times
    }
    this.spans.delete(key)
    if (this.spans.size >= maxKeys) {
      const [oldest] = this.spans.keys()
      if (oldest !== undefined) this.spans.delete(oldest)
    }
    this.spans.set(key, { count: 1, untilMillis: nowMillis + this.spanMillis })
    return true
  }
}
