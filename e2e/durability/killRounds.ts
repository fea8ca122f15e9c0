import { parseArgs } from "node:util"
import { startPostgres } from "@till402/test-postgres"
import { faultNames } from "./src/Faults.ts"
import { killRun } from "./src/KillRun.ts"
import { railNames, settlerNames, startRail } from "./src/rails/startRail.ts"

/*
 * Kills servers under load and checks that no payment is lost and nothing is sold twice:
 *
 *   node --conditions=@till402/source e2e/durability/killRounds.ts --rounds 200 --seed 7 --store sqlite
 *
 * With `--rail solana` the servers sell on Solana, with `--settler local` they settle by themselves.
 *
 * Ends with code 1 if a violation is found, and prints the seed. `--fault` breaks the store on purpose: then a
 * violation must be found.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    store: { type: "string", default: "sqlite" },
    rail: { type: "string", default: "evm" },
    settler: { type: "string", default: "facilitator" },
    fault: { type: "string" }
  }
})
const rounds = Number(values.rounds)
const seed = Number(values.seed)
const fault = faultNames.find((name) => name === values.fault)
const isKnown = values.store === "sqlite" || values.store === "postgres"
const name = railNames.find((each) => each === values.rail)
const settler = settlerNames.find((each) => each === values.settler)
const areNumbers = Number.isSafeInteger(rounds) && rounds > 0 && Number.isSafeInteger(seed)
if (!areNumbers || !isKnown || name === undefined || settler === undefined) {
  console.error(
    "usage: killRounds.ts --rounds <number> --seed <number> --store sqlite|postgres --rail evm|solana " +
      "--settler facilitator|local"
  )
  process.exit(2)
}
if (fault === undefined && values.fault !== undefined) {
  console.error(`--fault is one of ${faultNames.join(", ")}`)
  process.exit(2)
}

const run = async (): Promise<number> => {
  const { rail, stop } = await startRail({ name, settler })
  const cluster = values.store === "postgres" ? await startPostgres() : undefined
  try {
    console.log(
      `seed ${seed}: ${rounds} rounds on ${values.store}, ${name}, ${settler}${fault ? `, store ${fault}` : ""}`
    )
    const report = await killRun({
      rail,
      storage: cluster === undefined ? "sqlite" : { postgresUrl: await cluster.createDatabase() },
      rounds,
      seed,
      ...(fault === undefined ? {} : { fault }),
      onRound: (round) => {
        if (round % 10 === 0) console.log(`round ${round}`)
      }
    })
    console.dir({ ...report, faults: report.faults.length }, { depth: 3, maxArrayLength: null })
    for (const line of report.faults.slice(0, 100)) console.log(`WRONG ${line}`)
    console.log(report.faults.length === 0 ? `seed ${seed}: no violations` : `seed ${seed}: FAILED`)
    return report.faults.length === 0 ? 0 : 1
  } finally {
    await cluster?.stop()
    await stop()
  }
}

process.exit(
  await run().catch((error: unknown) => {
    console.error(`seed ${seed}: the run itself failed`, error)
    return 1
  })
)
