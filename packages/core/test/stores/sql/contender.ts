import { once } from "node:events"
import { Effect, Logger } from "effect"
import { Charges } from "../../../src/ports/Charges.ts"
import { VaultPurchases } from "../../../src/shop/ports/VaultPurchases.ts"
import { postgres } from "../../../src/postgres.ts"
import { sqlite } from "../../../src/sqlite.ts"
import { isCompleted, paid, unlimited } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleCharge, sampleReceipt, uuidOf } from "../../../../testing/src/stores/records.ts"

/*
 * A process of its own: `node contender.ts <sqlite|postgres> <file or address> <name> <claim|finish|settle> <keys>`. Says
 * `ready`, waits for a line, then opens (and migrates) the storage, runs its job for every key, some
 * at once, and prints as JSON for which keys each verb took effect.
 */
const [kind, place, name, task, count] = process.argv.slice(2) as [string, string, string, string, string]
const numbers = Array.from({ length: Number(count) }, (_, number) => number)
const limit = { ...unlimited, maxUnsettled: 5 }
/** Of 10 each: three of them. */
const exposureLimit = { ...unlimited, maxExposureAtomic: "39" }
/** Of 10 each: seven of them. */
const refundLimit = { sinceMillis: 0, maxAtomic: "79" }

const claimAll = Effect.fnUntraced(function* (number: number) {
  const charges = yield* Charges
  const lease = { owner: name, untilMillis: 9_000 }
  const own = sampleCharge({ key: `key-${number}`, payer: `0xpayer${number}`, payloadDigest: name })
  const claim = yield* charges.claim(own, lease, 1_000, limit)
  // One payer, all keys different: what is contended for is the payer's places.
  const crowded = sampleCharge({ key: `crowded-${name}-${number}`, payer: "0xcrowd" })
  const place = yield* charges.claim(crowded, lease, 1_000, limit)
  const exposed = sampleCharge({ key: `exposed-${name}-${number}`, payer: "0xexposed", exposureAtomic: "10" })
  const room = yield* charges.claim(exposed, lease, 1_000, exposureLimit)
  // One payer, one request: what is contended for is who buys it once.
  const repeats = { repeatKeys: [`k1:${number}`], sinceMillis: 0 }
  const wanted = sampleCharge({
    key: `wanted-${name}-${number}`,
    payer: `0xbuyer${number}`,
    repeatKey: `k1:${number}`
  })
  const bought = yield* charges.claim(wanted, lease, 1_000, { ...unlimited, repeats })
  return {
    bought: bought._tag === "Claimed",
    claimed: claim._tag === "Claimed",
    crowded: place._tag === "Claimed",
    exposed: room._tag === "Claimed"
  }
})

const finishAll = Effect.fnUntraced(function* (number: number) {
  const charges = yield* Charges
  const key = `key-${number}`
  const tookOver = yield* charges.takeOver(key, { owner: name, untilMillis: 99_000 }, 5_000)
  const settlement = { ...paid, receipt: sampleReceipt(number) }
  const completed = isCompleted(yield* charges.complete(key, settlement, 6_000))
  const applied = yield* charges.markApplied(key)
  const owed = yield* charges.markRefundDue(key, 7_000, undefined)
  const refunded = yield* charges.recordRefund(key, `0x${name}`, 8_000)
  const expired = (yield* charges.expire(9_000, 1)) === 1
  const purchases = yield* VaultPurchases
  const granted = yield* purchases.grant(uuidOf(number), 7_000)
  const took = (yield* purchases.take(7_000, 9_000, 1)).length === 1
  return { tookOver, completed, applied, owed, refunded, expired, granted, took }
})

/** Each process has charges of its own; what they contend for are transfers, and the refunds of one payer. */
const settleAll = Effect.fnUntraced(function* (number: number) {
  const charges = yield* Charges
  const completion = yield* charges.complete(
    `proven-${name}-${number}`,
    { ...paid, transferLogIndex: number },
    6_000
  )
  const start = yield* charges.startRefund(`owed-${name}-${number}`, refundLimit, 7_000)
  const stopped = number === 0 && (yield* charges.stopRefunds(name, 7_000))
  return {
    settled: isCompleted(completion),
    taken: completion._tag === "TransferTaken",
    started: start._tag === "Started",
    overLimit: start._tag === "OverLimit",
    stopped
  }
})

/** Keys from which each process claims first: they begin at different ends, and meet. */
const order = name < "b" ? numbers : numbers.toReversed()
const tasks: Readonly<
  Record<
    string,
    (number: number) => Effect.Effect<Record<string, boolean>, unknown, Charges | VaultPurchases>
  >
> = { claim: claimAll, finish: finishAll, settle: settleAll }
const contend = Effect.forEach(order, tasks[task]!, { concurrency: 7 })

process.stdout.write("ready\n")
await once(process.stdin, "data")
process.stdin.destroy()
// What is logged would be among the lines of the protocol.
const silent = Logger.layer([])
const storage = kind === "sqlite" ? sqlite({ filename: place }) : postgres({ url: place })
const outcomes = await Effect.runPromise(contend.pipe(Effect.provide(storage), Effect.provide(silent)))
const won: Record<string, Array<number>> = {}
for (const [index, outcome] of outcomes.entries()) {
  for (const [verb, took] of Object.entries(outcome)) {
    won[verb] ??= []
    if (took) won[verb].push(order[index]!)
  }
}
process.stdout.write(`${JSON.stringify(won)}\n`)
