import { type Context, Metric } from "effect"

type NumberMetric = Metric.Metric<number, unknown>

/** The dollars of an amount in atomic units. */
export const dollarsOf = (amountAtomic: bigint): number => Number(amountAtomic) / 1_000_000

/** Records values in the series of a registry. */
export class Series {
  private readonly known = new Map<string, NumberMetric>()
  private readonly context: Context.Context<never>

  constructor(context: Context.Context<never>) {
    this.context = context
  }

  /** Updates a series of a metric, which is made once. */
  record(metric: NumberMetric, labels: Readonly<Record<string, string>>, value: number): void {
    const key = JSON.stringify([metric.id, ...Object.values(labels)])
    let series = this.known.get(key)
    if (series === undefined) this.known.set(key, (series = Metric.withAttributes(metric, labels)))
    series.updateUnsafe(value, this.context)
  }

  /** Sets all series of a gauge. */
  reset({ id }: NumberMetric, value: number): void {
    for (const series of this.known.values()) if (series.id === id) series.updateUnsafe(value, this.context)
  }

  /** Removes all series of these metrics: what isn't known must not keep its last figure. */
  forget(...metrics: ReadonlyArray<NumberMetric>): void {
    const ids = new Set(metrics.map(({ id }) => id))
    for (const series of this.known.values())
      if (ids.has(series.id)) Metric.removeUnsafe(series, this.context)
  }
}
