import { type Postgres, sharedPostgres } from "@till402/test-postgres"
import { Effect, Layer } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import type { Stores } from "../../../src/stores/Stores.ts"
import { VaultPurchases } from "../../../src/shop/ports/VaultPurchases.ts"
import { postgres } from "../../../src/postgres.ts"
import { sqlite } from "../../../src/sqlite.ts"
import { chargesWithOne, paidRefundDue, unlimited } from "../../../../testing/src/stores/chargeRecords.ts"
import {
  sampleResponse,
  sampleCharge,
  samplePurchase,
  sampleReceipt,
  uuidOf
} from "../../../../testing/src/stores/records.ts"
import { contend } from "./contenders.ts"
import { temporaryFiles } from "./folder.ts"

const nextFile = temporaryFiles()
let cluster: Omit<Postgres, "stop">
beforeAll(async () => {
  cluster = await sharedPostgres()
})

const keys = 100
/** Charges of each process in the race for transfers and refunds. */
const ownKeys = 30
const allKeys = Array.from({ length: keys }, (_, number) => number)
const ascending = (left: number, right: number) => left - right

interface Engine {
  readonly kind: "sqlite" | "postgres"
  readonly names: ReadonlyArray<string>
  readonly newPlace: () => Promise<string>
  readonly storage: (place: string) => Layer.Layer<Stores, unknown>
}
const engines: ReadonlyArray<Engine> = [
  {
    kind: "sqlite",
    names: ["a", "b", "c"],
    newPlace: async () => nextFile(),
    storage: (filename) => sqlite({ filename })
  },
  {
    kind: "postgres",
    names: ["a", "b"],
    newPlace: () => cluster.createDatabase(),
    storage: (url) => postgres({ url })
  }
]

const prepared = Effect.gen(function* () {
  const charges = yield* Charges
  const purchases = yield* VaultPurchases
  for (const number of allKeys) {
    const key = `key-${number}`
    yield* charges.claim(sampleCharge({ key }), { owner: "dead", untilMillis: 2_000 }, 1_000, unlimited)
    const subject = { kind: "order", id: key } as const
    yield* charges.advance(key, "dead", { response: sampleResponse(key), subject })
    yield* purchases.reserve(samplePurchase({ id: uuidOf(number), dueAtMillis: undefined }))
  }
})

describe.each(engines)("processes on one $kind database", ({ kind, names, newPlace, storage }) => {
  const on = <A, E>(place: string, use: Effect.Effect<A, E, Stores>) =>
    Effect.runPromise(Effect.provide(use, storage(place)))

  it("migrate it at once; a key has one claimant, a payer no more charges than allowed, and buys a request once", async () => {
    const place = await newPlace()
    const won = await contend({ kind, place, names, task: "claim", keys })
    expect(won.flatMap(({ claimed }) => claimed!).toSorted(ascending)).toEqual(allKeys)
    expect(won.flatMap(({ bought }) => bought!).toSorted(ascending)).toEqual(allKeys)
    expect(won.flatMap(({ crowded }) => crowded!)).toHaveLength(5)
    expect(won.flatMap(({ exposed }) => exposed!)).toHaveLength(3)
    const kept = await on(
      place,
      Charges.use((charges) => charges.list({ limit: 1_000 }))
    )
    expect(kept).toHaveLength(2 * keys + 5 + 3)
    for (const { key, leaseOwner, payloadDigest } of kept.filter((charge) => charge.key.startsWith("key-"))) {
      expect(payloadDigest).toBe(leaseOwner)
      expect(won[names.indexOf(leaseOwner)]?.["claimed"]).toContain(Number(key.slice(4)))
    }
  })

  it("take over, settle, apply, owe, refund and expire each charge once, grant and take each purchase", async () => {
    const place = await newPlace()
    await on(place, prepared)
    const won = await contend({ kind, place, names, task: "finish", keys })
    for (const verb of ["tookOver", "completed", "applied", "owed", "refunded", "granted"])
      expect([verb, won.flatMap((each) => each[verb]!).toSorted(ascending)]).toEqual([verb, allKeys])
    // Each requested once per key that one response expire, no matter which.
    const expired = won.flatMap((each) => each["expired"]!).length
    const { charges, entries } = await on(
      place,
      Charges.use((store) =>
        Effect.all({ charges: store.list({ limit: 1_000 }), entries: store.entries({ limit: 1_000 }) })
      )
    )
    expect(expired).toBe(charges.filter(({ response }) => response === undefined).length)
    expect(entries).toHaveLength(3 * keys)
    // Each requested any due purchase, once for each key; each purchase was taken by one process.
    const taken = won.flatMap((each) => each["took"]!).length
    expect(taken).toBeGreaterThan(0)
    const attempts = await on(
      place,
      VaultPurchases.use((store) =>
        Effect.forEach(allKeys, (number) =>
          Effect.map(store.find(uuidOf(number)), (purchase) => purchase!.attempts)
        )
      )
    )
    expect(attempts.filter((times) => times === 1)).toHaveLength(taken)
    expect(attempts.filter((times) => times > 1)).toEqual([])
    for (const charge of charges) {
      const number = Number(charge.key.slice(4))
      const refunder = won.findIndex(({ refunded }) => refunded!.includes(number))
      expect(charge.refund).toEqual({ _tag: "Sent", transaction: `0x${names[refunder]}` })
      expect(charge.receipt).toEqual(sampleReceipt(number))
      expect(won[names.indexOf(charge.leaseOwner)]?.["tookOver"]).toContain(number)
    }
  })

  it("settle one charge of each transfer, start no more refunds of a payer than allowed, stop them once", async () => {
    const place = await newPlace()
    await on(
      place,
      Effect.forEach(names, (name) =>
        Effect.forEach(allKeys.slice(0, ownKeys), (number) =>
          Effect.andThen(
            chargesWithOne("ready", { key: `proven-${name}-${number}` }),
            chargesWithOne(
              "settled",
              { key: `owed-${name}-${number}`, payer: "0xowed", amountAtomic: "10" },
              { settlement: paidRefundDue }
            )
          )
        )
      )
    )
    const won = await contend({ kind, place, names, task: "settle", keys: ownKeys })
    const all = (verb: string) => won.flatMap((each) => each[verb]!)
    expect(all("settled").toSorted(ascending)).toEqual(allKeys.slice(0, ownKeys))
    expect(all("taken")).toHaveLength((names.length - 1) * ownKeys)
    expect(all("started")).toHaveLength(7)
    expect(all("overLimit")).toHaveLength(names.length * ownKeys - 7)
    expect(all("stopped")).toHaveLength(1)
    const { due, entries, settled, stop } = await on(
      place,
      Charges.use((store) =>
        Effect.all({
          due: store.list({ limit: 1_000, isRefundDue: true }),
          entries: store.entries({ limit: 1_000 }),
          settled: store.list({ limit: 1_000, state: "settled" }),
          stop: store.refundStop()
        })
      )
    )
    const transfers = settled.flatMap(({ transferLogIndex }) => transferLogIndex ?? [])
    expect(transfers.toSorted(ascending)).toEqual(allKeys.slice(0, ownKeys))
    expect(
      due.filter(({ refund }) => refund?._tag === "Due" && refund.startedAtMillis === 7_000)
    ).toHaveLength(7)
    // One of each transfer, two of each charge whose refund is due.
    expect(entries).toHaveLength(ownKeys + 2 * names.length * ownKeys)
    expect(names).toContain(stop?.reason)
  })
})
