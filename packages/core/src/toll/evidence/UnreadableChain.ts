import { Effect, Metric, Result } from "effect"
import { durations, toOneMinute } from "../../runtime/durations.ts"
import { report } from "../../runtime/events.ts"

const timed = durations(
  Metric.histogram("till402_chain_operation_duration_seconds", {
    description: "Seconds that a read of a chain took",
    boundaries: toOneMinute
  })
)

/** Makes a function that reports a read of a network that fails, and returns `undefined` in its place. */
export const reportedBy =
  <E>(nameOf: (failure: E) => string | undefined) =>
  <A>(network: string, read: Effect.Effect<A, E>): Effect.Effect<A | undefined> =>
    Effect.flatMap(
      timed(Effect.result(read), ({ _tag: tag }) => ({
        network,
        outcome: tag === "Success" ? "read" : "unread"
      })),
      (result) => {
        if (Result.isSuccess(result)) return Effect.succeed(result.success)
        const error = nameOf(result.failure)
        return Effect.as(
          report(
            "Warn",
            "chain_unreadable",
            `The chain could not be read${error === undefined ? "" : ` (${error})`}: check rpcUrl. Until it has been read once, no payment on it is accepted`,
            { port: "chain", network, error }
          ),
          undefined
        )
      }
    )
