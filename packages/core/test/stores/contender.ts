import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { Charges } from "../../src/ports/Charges.ts"
import { sqlite } from "../../src/sql/sqlite.ts"
import { sampleCharge } from "../../src/testing/stores/records.ts"

/*
 * A process of its own: `node contender.ts <file> <name> <keys> <start>`. Opens (and migrates) the file at
 * the given time, claims every key, some at once, and prints those it won as JSON.
 */
const [filename, name, keys, startMillis] = process.argv.slice(2)
await sleep(Math.max(0, Number(startMillis) - Date.now()))

const contend = Effect.gen(function* () {
  const charges = yield* Charges
  const claims = yield* Effect.forEach(
    Array.from({ length: Number(keys) }, (_, number) => `key-${number}`),
    (key) =>
      Effect.map(
        charges.claim(
          sampleCharge({ key, payloadDigest: name! }),
          { owner: name!, untilMillis: 9_000 },
          1_000
        ),
        ({ _tag }) => (_tag === "Claimed" ? [key] : [])
      ),
    { concurrency: 7 }
  )
  return claims.flat()
})

const won = await Effect.runPromise(Effect.provide(contend, sqlite({ filename: filename! })))
process.stdout.write(JSON.stringify(won))
