import { Context, Effect, Metric } from "effect"
import { expect, it } from "vitest"
import { reportedBy } from "../../../src/toll/evidence/UnreadableChain.ts"

it("reads of a chain are timed: one that finds nothing is no failure", async () => {
  const metrics = Context.make(Metric.MetricRegistry, new Map())
  const reported = reportedBy((failure: string) => failure)
  const reads = [Effect.succeed(1n), Effect.succeed(undefined), Effect.fail("ECONNREFUSED")]
  const found = await Effect.runPromise(
    Effect.provide(
      Effect.forEach(reads, (read) => reported("eip155:8453", read)),
      metrics
    )
  )
  expect(found).toEqual([1n, undefined, undefined])
  const series = Metric.snapshotUnsafe(metrics).filter(
    ({ id }) => id === "till402_chain_operation_duration_seconds"
  )
  expect(series.map(({ attributes, state }) => ({ ...attributes, ...state }))).toEqual([
    expect.objectContaining({ network: "eip155:8453", outcome: "read", count: 2 }),
    expect.objectContaining({ network: "eip155:8453", outcome: "unread", count: 1 })
  ])
})
