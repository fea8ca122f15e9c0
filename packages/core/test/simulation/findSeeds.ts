import { parseArgs } from "node:util"
import { brokenTills, firstDetecting } from "./BrokenTills.ts"
import type { RailName } from "./Economy.ts"
import { simulate } from "./simulate.ts"

/*
 * node --conditions=@till402/source packages/core/test/simulation/findSeeds.ts NAME… [--from S] [--seeds N] [--rail R]
 *
 * Finds new first seeds after a change of the world. A NAME is that of a broken till, or of an event that
 * `simulationTests.ts` requires, such as "402 payment_failed". Prints the first of N seeds from S on (default: 500 from
 * 1) that reveals the till, or shows the event on rail R (default: solana). Run it for several ranges at once on a
 * machine with many cores.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: "string", default: "1" },
    seeds: { type: "string", default: "500" },
    rail: { type: "string", default: "solana" }
  }
})
const [from, seeds] = [Number(values.from), Number(values.seeds)]
const rail = values.rail as RailName

const firstShowing = async (event: string): Promise<number | undefined> => {
  for (let seed = from; seed < from + seeds; seed++)
    if ((await simulate(seed, "memory", { rail })).counts.has(event)) return seed
  return undefined
}

for (const name of positionals) {
  const tills = brokenTills.filter((broken) => broken.name === name)
  const searches =
    tills.length === 0
      ? [{ on: rail, find: () => firstShowing(name) }]
      : tills.map((till) => ({ on: till.rail, find: () => firstDetecting(till, from, seeds) }))
  for (const { find, on } of searches)
    console.log(`${name} on ${on}: ${(await find()) ?? `none of ${from} to ${from + seeds - 1}`}`)
}
