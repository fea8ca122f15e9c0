import { Effect, Metric } from "effect"
import type { Ending } from "../machine/ChargeStep.ts"
import type { TollRequest } from "../request/TollRequest.ts"

const calls = Metric.counter("till402_calls_total", {
  description: "Calls with a payment, by operation and outcome",
  incremental: true
})

/** How a call ended, as its span and the counter name it. `error`: the store failed, or a defect. */
export type CallOutcome = (typeof outcomes)[Ending["_tag"]] | "error"

/** The outcome of each ending. */
export const outcomes = {
  Paid: "paid",
  Replay: "replayed",
  Refused: "refused",
  Failed: "failed",
  Owed: "owed",
  Unverifiable: "unverifiable",
  InProgress: "in_progress",
  Limited: "limited",
  Repeated: "repeated",
  Pending: "unknown",
  Closed: "unknown"
} as const satisfies Record<Ending["_tag"], string>

const counts = new Map<string, typeof calls>()

/** The counter of an operation's outcome: its labels are made into a key once, since there are few. */
const countOf = (attributes: { readonly operation: string; readonly outcome: CallOutcome }): typeof calls => {
  const key = `${attributes.outcome} ${attributes.operation}`
  let count = counts.get(key)
  if (count === undefined) counts.set(key, (count = Metric.withAttributes(calls, attributes)))
  return count
}

/** Counts the outcome of a call, before its conclusion. Labels are few: they never name a payer or payment. */
export const concluded = <A, E>(
  { operation }: Pick<TollRequest<unknown>, "operation">,
  outcome: CallOutcome,
  conclusion: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.andThen(
    Effect.andThen(
      Metric.update(countOf({ operation, outcome }), 1),
      Effect.annotateCurrentSpan("outcome", outcome)
    ),
    conclusion
  )
