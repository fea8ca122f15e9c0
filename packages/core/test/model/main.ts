import { chargeModel } from "./ChargeModel.ts"
import { explore, type Model, tell } from "./Checker.ts"
import { orderModel } from "./OrderModel.ts"
import { deepOrderWorlds, orderWorlds } from "./orderWorlds.ts"
import { deepWorlds, quickWorlds } from "./worlds.ts"

/* Explores the worlds whose name contains the first argument, and prints a table and the stories of violations. */

const wanted = process.argv[2] ?? ""

const show = <State>(name: string, model: Model<State>): void => {
  if (!name.includes(wanted)) return
  const { edges, finals, isComplete, seconds, states, stories } = explore(model)
  const summary = [
    `${states} states`,
    `${edges} edges`,
    `${finals} final`,
    `${seconds.toFixed(1)} s`,
    `${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`,
    isComplete ? "complete" : "INCOMPLETE"
  ]
  console.log(`${name}: ${summary.join(", ")}`)
  for (const story of stories) console.log(tell(story))
}

for (const world of [...quickWorlds, ...deepWorlds]) show(`charge: ${world.name}`, chargeModel(world))
for (const world of [...orderWorlds, ...deepOrderWorlds]) show(`order: ${world.name}`, orderModel(world))
