import { once } from "node:events"
import { postgresStores } from "../src/storage/storage.ts"
import { lockedInMemory } from "./mutants.ts"
import { patient, type Race, races, type RaceName } from "./races.ts"

/*
 * A process that races others on one database: `node contender.ts <url> <name> [locked-in-memory]`. Its parent chooses
 * the race and receives each racer's result.
 */

export interface Start {
  readonly name: RaceName
  readonly subject: string
}

const racers = 50
const [url = "", name = "", mutant] = process.argv.slice(2)
const opened = postgresStores(url, patient)
const stores = mutant === "locked-in-memory" ? lockedInMemory(opened) : opened
await opened.open()

process.on("message", async ({ name: race, subject }: Start) => {
  const { run }: Race = races[race]
  const running = Array.from({ length: racers }, (_, racer) => run(stores, subject, `${name}-${racer}`))
  process.send!(await Promise.all(running))
})
process.send!("ready")

await once(process, "disconnect")
await opened.close()
