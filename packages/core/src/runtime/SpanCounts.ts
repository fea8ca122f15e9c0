import { BoundedMap } from "./BoundedMap.ts"

/** A count since the start of a span of time. */
export interface Span {
  readonly count: number
  readonly untilMillis: number
}

/** Counts events by key in spans of time; a key's span starts with its first event. Bounded. */
export class SpanCounts {
  private readonly spans: BoundedMap<string, { count: number; readonly untilMillis: number }>
  private readonly spanMillis: number

  constructor(limits: { readonly maxKeys: number; readonly spanMillis: number }) {
    this.spans = new BoundedMap(limits.maxKeys)
    this.spanMillis = limits.spanMillis
  }

  /** Keys held. */
  get size(): number {
    return this.spans.size
  }

  /** The key's current span; `undefined` when it is over or nothing was counted. */
  find(key: string, nowMillis: number): Span | undefined {
    const span = this.spans.get(key)
    return span !== undefined && span.untilMillis > nowMillis ? span : undefined
  }

  /** Takes back one event of the key's current span. */
  remove(key: string, nowMillis: number): void {
    const span = this.spans.get(key)
    if (span !== undefined && span.untilMillis > nowMillis && span.count > 0) span.count--
  }

  /** Counts one event and returns the count of its span. */
  add(key: string, nowMillis: number): number {
    const span = this.spans.get(key)
    if (span !== undefined && span.untilMillis > nowMillis) return ++span.count
    this.spans.set(key, { count: 1, untilMillis: nowMillis + this.spanMillis })
    return 1
  }
}
