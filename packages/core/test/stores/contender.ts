import { once } from "node:events"
import { Effect } from "effect"
import { Charges } from "../../src/ports/Charges.ts"
import { VaultPurchases } from "../../src/ports/VaultPurchases.ts"
import { postgres } from "../../src/sql/postgres.ts"
import { sqlite } from "../../src/sql/sqlite.ts"
import { sampleCharge, sampleReceipt, uuidOf } from "../../src/testing/stores/records.ts"

/*
 * A process of its own: `node contender.ts <sqlite|postgres> <file or address> <name> <claim|finish> <keys>`. Says
 * `ready`, waits for a line, then opens (and migrates) the storage, does what it was told for every key, some
 * at once, and prints as JSON for which keys each verb took effect.
 */
const [kind, place, name, task, count] = process.argv.slice(2) as [string, string, string, string, string]
const numbers = Array.from({ length: Number(count) }, (_, number) => number)
const limit = 5

const claimAll = Effect.fnUntraced(function* (number: number) {
  const charges = yield* Charges
  const lease = { owner: name, untilMillis: 9_000 }
  const own = sampleCharge({ key: `key-${number}`, payer: `0xpayer${number}`, payloadDigest: name })
  const claim = yield* charges.claim(own, lease, 1_000, limit)
  // One payer, all keys different: what is contended for is the payer's places.
  const crowded = sampleCharge({ key: `crowded-${name}-${number}`, payer: "0xcrowd" })
  const place = yield* charges.claim(crowded, lease, 1_000, limit)
  return { claimed: claim._tag === "Claimed", crowded: place._tag === "Claimed" }
})

const finishAll = Effect.fnUntraced(function* (number: number) {
  const charges = yield* Charges
  const key = `key-${number}`
  const tookOver = yield* charges.takeOver(key, { owner: name, untilMillis: 99_000 }, 5_000)
  const receipt = sampleReceipt(number)
  const completed = yield* charges.complete(key, { receipt, refundDue: false }, 6_000)
  const applied = yield* charges.markApplied(key)
  const owed = yield* charges.oweRefund(key, 7_000)
  const refunded = yield* charges.recordRefund(key, `0x${name}`, 8_000)
  const expired = (yield* charges.expire(9_000, 1)) === 1
  const purchases = yield* VaultPurchases
  const granted = yield* purchases.grant(uuidOf(number), 7_000)
  const took = (yield* purchases.take(7_000, 9_000, 1)).length === 1
  return { tookOver, completed, applied, owed, refunded, expired, granted, took }
})

/** Keys from which each process claims first: they begin at different ends, and meet. */
const order = name < "b" ? numbers : numbers.toReversed()
const contend: Effect.Effect<
  ReadonlyArray<Record<string, boolean>>,
  unknown,
  Charges | VaultPurchases
> = task === "claim"
  ? Effect.forEach(order, claimAll, { concurrency: 7 })
  : Effect.forEach(order, finishAll, { concurrency: 7 })

process.stdout.write("ready\n")
await once(process.stdin, "data")
process.stdin.destroy()
const storage = kind === "sqlite" ? sqlite({ filename: place }) : postgres({ url: place })
const outcomes = await Effect.runPromise(Effect.provide(contend, storage))
const won: Record<string, Array<number>> = {}
for (const [index, outcome] of outcomes.entries()) {
  for (const [verb, took] of Object.entries(outcome)) {
    won[verb] ??= []
    if (took) won[verb].push(order[index]!)
  }
}
process.stdout.write(`${JSON.stringify(won)}\n`)
