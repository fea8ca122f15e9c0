import { Clock, Effect, Metric } from "effect"

/** Boundaries of a histogram, in seconds: from a node beside the till to the longest settlement. */
export const toOneMinute = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/**
 * Makes what records, in a histogram, how many seconds effects take until they have a result. Labels are bounded by the
 * host's networks and facilitators, and never name a payer or payment.
 */
export const durations = (histogram: ReturnType<typeof Metric.histogram>) => {
  const series = new Map<string, typeof histogram>()
  /** The series of some labels: they are made into a key once. */
  const seriesOf = (labels: Readonly<Record<string, string>>): typeof histogram => {
    const key = Object.values(labels).join(" ")
    let one = series.get(key)
    if (one === undefined) series.set(key, (one = Metric.withAttributes(histogram, labels)))
    return one
  }
  return <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    labelsOf: (result: A) => Readonly<Record<string, string>>
  ): Effect.Effect<A, E, R> =>
    Clock.clockWith((clock) => {
      const startNanos = clock.currentTimeNanosUnsafe()
      return Effect.tap(effect, (result) =>
        Metric.update(
          seriesOf(labelsOf(result)),
          Number(clock.currentTimeNanosUnsafe() - startNanos) / 1_000_000_000
        )
      )
    })
}
