import { SpanCounts } from "../../runtime/SpanCounts.ts"

const maxKeys = 10_000

/**
 * Limits how often callers can have one payment processed again in a time span.
 *
 * Each attempt queries the chain and the facilitator, and a caller may retry as fast as it likes. Bounded.
 */
export class RetryBudget {
  private readonly spans: SpanCounts
  private readonly times: number

  constructor(budget: { readonly times: number; readonly spanMillis: number }) {
    this.times = budget.times
    this.spans = new SpanCounts({ maxKeys, spanMillis: budget.spanMillis })
  }

  /** Whether the budget of a key is used up for now. */
  isUsedUp(key: string, nowMillis: number): boolean {
    return (this.spans.find(key, nowMillis)?.count ?? 0) >= this.times
  }

  /** Takes one attempt from the budget of a key; `false` when it is used up for now. */
  take(key: string, nowMillis: number): boolean {
    return this.spans.add(key, nowMillis) <= this.times
  }
}
