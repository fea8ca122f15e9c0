import { parseArgs } from "node:util"
import { startChain, startFacilitator } from "@till402/sandbox"
import { startPostgres } from "@till402/test-postgres"
import { dayFaultNames } from "./src/Faults.ts"
import { dayRun } from "./src/day/DayRun.ts"

/*
 * A day in the life of four servers on one PostgreSQL, under mixed traffic with faults:
 *
 *   node --conditions=@till402/source e2e/durability/day.ts --minutes 60 --seed 7
 *
 * Ends with code 1 if a promise was broken, and prints the seed. `--fault` breaks the servers on purpose: then it must
 * end with code 1.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    fault: { type: "string" }
  }
})
const minutes = Number(values.minutes)
const seed = Number(values.seed)
const fault = dayFaultNames.find((name) => name === values.fault)
if (!Number.isFinite(minutes) || minutes <= 0 || !Number.isSafeInteger(seed)) {
  console.error("usage: day.ts --minutes <number> --seed <number>")
  process.exit(2)
}
if (fault === undefined && values.fault !== undefined) {
  console.error(`--fault is one of ${dayFaultNames.join(", ")}`)
  process.exit(2)
}

const run = async (): Promise<number> => {
  const chain = await startChain()
  const facilitator = await startFacilitator({ chain })
  const cluster = await startPostgres()
  try {
    console.log(`seed ${seed}: ${minutes} minutes${fault === undefined ? "" : `, store ${fault}`}`)
    const report = await dayRun({
      chain,
      facilitator,
      postgresUrl: await cluster.createDatabase(),
      minutes,
      seed,
      ...(fault === undefined ? {} : { fault }),
      onProgress: (line) => console.log(line)
    })
    console.dir({ ...report, faults: report.faults.length }, { depth: 3, maxArrayLength: null })
    for (const line of report.faults.slice(0, 100)) console.log(`WRONG ${line}`)
    console.log(report.faults.length === 0 ? `seed ${seed}: no violations` : `seed ${seed}: FAILED`)
    return report.faults.length === 0 ? 0 : 1
  } finally {
    await cluster.stop()
    await facilitator.stop()
    await chain.stop()
  }
}

process.exit(
  await run().catch((error: unknown) => {
    console.error(`seed ${seed}: the run itself failed`, error)
    return 1
  })
)
