import { chargeModel } from "./ChargeModel.ts"
import { explore, tell } from "./Checker.ts"
import { deepWorlds, quickWorlds } from "./worlds.ts"

/* Explores the worlds whose name contains the first argument, and prints a table and the stories of violations. */

const wanted = process.argv[2] ?? ""
for (const world of [...quickWorlds, ...deepWorlds].filter(({ name }) => name.includes(wanted))) {
  const { edges, finals, isComplete, seconds, states, stories } = explore(chargeModel(world))
  const summary = [
    `${states} states`,
    `${edges} edges`,
    `${finals} final`,
    `${seconds.toFixed(1)} s`,
    `${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`,
    isComplete ? "complete" : "INCOMPLETE"
  ]
  console.log(`${world.name}: ${summary.join(", ")}`)
  for (const story of stories) console.log(tell(story))
}
