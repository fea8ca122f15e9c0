import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { toBase58 } from "../../src/domain/Base58.ts"
import { recordManualRefund } from "../../src/refunds/ManualRefunds.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { Chain } from "../../src/toll/evidence/Chain.ts"
import { eventLogger, type TillEvent } from "../../src/runtime/events.ts"
import { chargesWithOne, key, paidRefundDue } from "../../../testing/src/stores/chargeRecords.ts"

const minute = 60_000
const startMillis = 1_800_000_000_000

/** A chain whose transactions pay the buyer as given. */
const chainOf = (paid: bigint | "absent" | undefined): Partial<Chain["Service"]> => ({
  canRead: () => true,
  paidBy: () => Effect.succeed(paid)
})

/** Runs over a charge whose refund is due. */
const play = <A, E>(
  test: (record: (transaction: string) => Effect.Effect<string, unknown>) => Effect.Effect<A, E, Charges>,
  chain: Partial<Chain["Service"]> = { canRead: () => false }
) => {
  const events: Array<TillEvent> = []
  return Effect.gen(function* () {
    yield* TestClock.setTime(startMillis)
    const charges = yield* chargesWithOne("settled", {}, { settlement: paidRefundDue })
    const result = yield* test((transaction) => recordManualRefund(charges, key, transaction))
    return { result, events }
  }).pipe(
    Effect.provide(Charges.layerMemory),
    Effect.provideService(Chain, chain as Chain["Service"]),
    Effect.provide(Logger.layer([eventLogger((event) => events.push(event))])),
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )
}

const start = Effect.gen(function* () {
  const charges = yield* Charges
  yield* charges.startRefund(key, { sinceMillis: 0, maxAtomic: "1000000000" }, startMillis)
  return charges
})

const [mine, first, second] = ["a1", "b2", "c3"].map((byte) => `0x${byte.repeat(32)}`) as [
  string,
  string,
  string
]

describe("a refund that an operator sent", () => {
  it("is recorded when it was sent, and known when it is recorded again", async () => {
    const { events, result } = await play((record) =>
      Effect.gen(function* () {
        const recorded = yield* record(mine)
        const [entry] = yield* (yield* Charges).entries({ limit: 1 })
        return [recorded, yield* record(mine), entry?.kind, entry?.transaction, entry?.atMillis]
      })
    )
    expect(result).toEqual(["Recorded", "Known", "refunded", mine, startMillis])
    expect(events).toEqual([])
  })

  it("is refused and reported while the wallet may be sending it", async () => {
    const { events, result } = await play((record) => Effect.andThen(start, record(mine)))
    expect(result).toBe("Refused")
    expect(events).toEqual([
      {
        level: "warning",
        code: "refund_in_progress",
        message: "A refund was not recorded: the wallet may be sending it",
        chargeKey: key,
        transaction: mine
      }
    ])
  })

  it("is recorded once refunds have been stopped for 90 minutes, and not before", async () => {
    const { result } = await play((record) =>
      Effect.gen(function* () {
        yield* (yield* start).stopRefunds("by hand", startMillis)
        yield* TestClock.adjust(90 * minute - 1)
        const early = yield* record(mine)
        yield* TestClock.adjust(1)
        return [early, yield* record(mine)]
      })
    )
    expect(result).toEqual(["Refused", "Recorded"])
  })

  it("is refused with both transactions where another one is recorded", async () => {
    const { events, result } = await play((record) => Effect.andThen(record(first), record(second)))
    expect(result).toBe("Refused")
    expect(events).toEqual([
      {
        level: "error",
        code: "refund_recorded_twice",
        message: "A refund was not recorded: it is recorded with another transaction",
        chargeKey: key,
        transaction: second,
        otherTransaction: first
      }
    ])
  })

  it("is refused in silence where it names nothing, or none is due", async () => {
    const { events, result } = await play((record) =>
      Effect.gen(function* () {
        const unknown = yield* recordManualRefund(yield* Charges, "unknown", mine)
        return [yield* record(""), yield* record(" "), unknown]
      })
    )
    expect([result, events]).toEqual([["Refused", "Refused", "Refused"], []])
  })

  it("is refused and reported with the transaction of its payment", async () => {
    const { events, result } = await play((record) =>
      Effect.gen(function* () {
        const { transaction } = (yield* (yield* Charges).find(key))!.receipt!
        return [yield* record(transaction), yield* record(transaction.toUpperCase()), yield* record(mine)]
      })
    )
    expect(result).toEqual(["Refused", "Refused", "Recorded"])
    expect(events.map(({ code }) => code)).toEqual(Array(2).fill("refund_without_transaction"))
  })

  it.each<readonly [string, ReturnType<typeof chainOf>, "Recorded" | "Refused"]>([
    ["can't be read", { canRead: () => false }, "Refused"],
    ["doesn't show the transaction", chainOf(undefined), "Refused"],
    ["doesn't have the transaction", chainOf("absent"), "Refused"],
    ["shows that it pays the buyer less", chainOf(9_999n), "Refused"],
    ["shows that it pays the buyer", chainOf(10_000n), "Recorded"]
  ])(
    "with the transaction of another payment, in any letter case, where the chain %s",
    async (_, chain, verdict) => {
      const other = `0x${"Ab".repeat(32)}`
      const { events, result } = await play(
        () =>
          Effect.gen(function* () {
            const charges = yield* Charges
            const list: typeof charges.list = (query) =>
              Effect.map(charges.find(key), (charge) =>
                query.transaction === other.toLowerCase()
                  ? [{ ...charge!, receipt: { ...charge!.receipt!, transaction: other } }]
                  : []
              )
            return yield* recordManualRefund({ ...charges, list }, key, other.replace("A", "a"))
          }),
        chain
      )
      expect(result).toBe(verdict)
      const refusal = [
        "refund_without_transaction",
        "A refund was not recorded: the transaction is that of a payment. Give that of the refund"
      ]
      expect(events.map(({ code, message }) => [code, message])).toEqual(
        verdict === "Refused" ? [refusal] : []
      )
    }
  )

  it("is refused with the transaction of its payment, though the chain shows that it pays the buyer", async () => {
    const { result } = await play(
      (record) =>
        Effect.gen(function* () {
          const { transaction } = (yield* (yield* Charges).find(key))!.receipt!
          return yield* record(transaction)
        }),
      chainOf(10_000n)
    )
    expect(result).toBe("Refused")
  })

  it.each([
    `https://basescan.org/tx/${mine}`,
    `https://basescan.org/tx/${mine}#eventlog`,
    `in ${mine}`,
    `${mine}, see there`,
    mine.toUpperCase(),
    mine.slice(2)
  ])("is recorded by the only hash in a text: %s", async (text) => {
    const { events, result } = await play((record) =>
      Effect.gen(function* () {
        const recorded = [yield* record(text), yield* record(mine), yield* record(text)]
        const [entry] = yield* (yield* Charges).entries({ limit: 1 })
        return [recorded, entry?.transaction]
      })
    )
    expect([result, events]).toEqual([[["Recorded", "Known", "Known"], mine], []])
  })

  it("is refused by a link to the transaction of its payment", async () => {
    const { events, result } = await play((record) =>
      Effect.gen(function* () {
        const charges = yield* Charges
        const find: typeof charges.find = (of) =>
          Effect.map(
            charges.find(of),
            (charge) => charge && { ...charge, receipt: { ...charge.receipt!, transaction: mine } }
          )
        const link = `https://basescan.org/tx/${mine}`
        return [yield* recordManualRefund({ ...charges, find }, key, link), yield* record(first)]
      })
    )
    expect(result).toEqual(["Refused", "Recorded"])
    expect(events.map(({ code, transaction }) => [code, transaction])).toEqual([
      ["refund_without_transaction", mine]
    ])
  })

  it.each<readonly [string, ReturnType<typeof chainOf>, string, number]>([
    ["pays less", chainOf(9_999n), mine, 1],
    ["pays another", chainOf(0n), mine, 1],
    ["doesn't exist, or isn't mined yet", chainOf("absent"), mine, 0],
    ["pays the amount", chainOf(10_000n), mine, 0],
    ["pays more", chainOf(10_001n), mine, 0],
    ["can't be read", chainOf(undefined), mine, 0],
    ["is on a chain that isn't read", { ...chainOf(0n), canRead: () => false }, mine, 0],
    ["is on a chain that shows no single one", { canRead: () => true }, mine, 0],
    ["is one of Solana", chainOf(0n), toBase58(new Uint8Array(64).fill(255)), 1]
  ])("is recorded, and reported if its transaction %s", async (_, chain, transaction, count) => {
    const { events, result } = await play((record) => record(transaction), chain)
    expect(result).toBe("Recorded")
    expect(events.map(({ code }) => code)).toEqual(Array(count).fill("refund_without_transaction"))
  })

  it("is recorded without waiting for the chain", async () => {
    const looked = Promise.withResolvers<void>()
    const chain = {
      canRead: () => true,
      paidBy: () =>
        Effect.andThen(
          Effect.sync(looked.resolve),
          Effect.promise<never>(() => new Promise(() => {}))
        )
    }
    const { result } = await play((record) => record(mine), chain)
    await looked.promise
    expect(result).toBe("Recorded")
  })

  it.each([mine, `0x${"Ab".repeat(32)}`])(
    "is recorded in silence by the transaction %s",
    async (transaction) => {
      const { events, result } = await play((record) => record(transaction))
      expect([result, events]).toEqual(["Recorded", []])
    }
  )

  it.each([
    "bank transfer 17",
    `${mine} or ${first}`,
    mine.slice(0, -1),
    `${mine}0`,
    "1".repeat(63),
    "z".repeat(88),
    "z".repeat(89),
    `l${"z".repeat(87)}`,
    "g".repeat(64),
    toBase58(new Uint8Array(64).fill(255))
  ])("is recorded and reported by another text: %s", async (transaction) => {
    const { events, result } = await play((record) => record(transaction))
    expect(result).toBe("Recorded")
    expect(events).toEqual([
      {
        level: "warning",
        code: "refund_without_transaction",
        message:
          "You recorded a refund with a text that is no transaction hash of its network; its buyer reads that it was sent",
        chargeKey: key,
        transaction
      }
    ])
  })
})
