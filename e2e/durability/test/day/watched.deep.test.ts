import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import { type Postgres, startPostgres } from "@till402/test-postgres"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { OnlyFault } from "../../src/day/Day.ts"
import { dayRun } from "../../src/day/DayRun.ts"
import { missingPromtool } from "../../src/day/Watch.ts"

/*
 * A day watched through Prometheus text: its figures are the ledger's, and the alert rules of `@till402/telemetry` fire
 * for what went wrong, and for nothing else.
 */

let world: { readonly chain: Chain; readonly facilitator: LocalFacilitator; readonly cluster: Postgres }
beforeAll(async () => {
  const chain = await startChain()
  world = { chain, facilitator: await startFacilitator({ chain }), cluster: await startPostgres() }
}, 300_000)
afterAll(async () => {
  await world.cluster.stop()
  await world.facilitator.stop()
  await world.chain.stop()
})

/** As long as its alerts wait, and until the till has recovered. */
const minutesOf = { nothing: 1, "stopped refunds": 1, "no database": 2.5, "no facilitator": 3.5 }

// Without a database or a facilitator, events of level error say what fails.
it.each<readonly [OnlyFault, ReadonlyArray<string>]>([
  ["nothing", []],
  ["stopped refunds", ["Till402RefundsStopped"]],
  ["no database", ["Till402CheckFails", "Till402ErrorEvent", "Till402NotReady"]],
  ["no facilitator", ["Till402CallsFail", "Till402ErrorEvent"]]
])(
  "%s: figures and alerts",
  async (only, alerts) => {
    const { chain, cluster, facilitator } = world
    const report = await dayRun({
      chain,
      facilitator,
      postgresUrl: await cluster.createDatabase(),
      minutes: minutesOf[only],
      seed: 7,
      only,
      onProgress: () => {}
    })
    // A refund that is stopped stays due.
    if (only !== "stopped refunds") expect(report.faults).toEqual([])
    expect(report.figures.revenueAtomic).toBe(report.movedAtomic)
    expect(report.figures.refundedAtomic).toBe(BigInt(report.refundedAtomic))
    expect(report.figures.revenueAtomic).toBeGreaterThan(0n)
    expect(report.figures.paidCalls).toBeGreaterThan(10)
    if (missingPromtool() === undefined)
      expect(Object.keys(report.alerts!).toSorted(), JSON.stringify(report.events)).toEqual(alerts)
  },
  1_800_000
)
