import type { CrowdResult } from "./crowdCallers.ts"
import type { CrowdServerOptions, Strain } from "./crowdServer.ts"
import { startWorker } from "./processes.ts"

/*
 * A crowd: many paid calls at once, each of a connection of its own, against the official middleware under the same
 * crowd. Facilitator and upstream take a fixed time; signatures are checked by both.
 */

const millis = 100
const sizes = [500, 1_000, 2_000, 4_000]
const runs = 3
/** As many calls at once as come. */
const raised = { unverified: 8_000, unsettled: 8_000, lossPerHour: "1000000.00" }

const sides: ReadonlyArray<{ readonly name: string } & CrowdServerOptions> = [
  { name: "Till402", side: "ours", millis },
  { name: "Till402, raised limits", side: "ours", millis, limits: raised },
  { name: "official", side: "official", millis }
]

const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((left, right) => left - right)[Math.ceil(values.length * share) - 1] ?? Number.NaN
const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)
const cell = (text: string | number): string =>
  (typeof text === "number" ? (Number.isNaN(text) ? "-" : text.toFixed(0)) : text).padStart(12)

const measure = async (options: CrowdServerOptions, calls: number) => {
  const server = await startWorker<CrowdServerOptions, object, unknown>("crowdServer.ts", options)
  const crowd = await startWorker<object, object, unknown>("crowdCallers.ts", { origin: server.ready })
  const results: Array<CrowdResult & Strain> = []
  for (let run = 0; run <= runs; run++) {
    await server.request({})
    const result = (await crowd.request({ calls, run })) as CrowdResult
    const strain = (await server.request({})) as Strain
    // The first run warms up.
    if (run > 0) results.push({ ...result, ...strain })
  }
  await crowd.stop()
  await server.stop()
  return results
}

console.log(
  `median of ${runs} runs; facilitator and upstream take ${millis} ms a call; times in milliseconds\n`
)
console.log(
  "calls at once".padEnd(24) +
    ["", "served", "refused", "broken", "p50", "p99", "refused p99", "stall", "heap MB"].map(cell).join("")
)
for (const calls of sizes) {
  for (const { name, ...options } of sides) {
    const results = await measure(options, calls)
    const of = (value: (result: CrowdResult & Strain) => number): number => median(results.map(value))
    console.log(
      `${String(calls).padStart(6)}  ${name}`.padEnd(36) +
        [
          of(({ served }) => served.length),
          of(({ refused, statuses }) => refused.length - (statuses[0] ?? 0)),
          of(({ statuses }) => statuses[0] ?? 0),
          of(({ served }) => median(served)),
          of(({ served }) => quantile(served, 0.99)),
          of(({ refused }) => quantile(refused, 0.99)),
          of(({ stallMillis }) => stallMillis),
          of(({ peakHeapBytes }) => peakHeapBytes / 1e6)
        ]
          .map(cell)
          .join("") +
        `  ${JSON.stringify(results.at(-1)!.statuses)}`
    )
  }
}
