import { Effect } from "effect"
import { Charges, type PayerActivity } from "@till402/core/effect"
import { chargesWithOne, lease, outcome, paid, paidRefundDue, unlimited } from "./chargeRecords.ts"
import { sampleCharge } from "./records.ts"
import { expectEqual, type ChargeCase, storeCase } from "./StoreCase.ts"

/** The charge for which a payer's activity is read: newer than all others. */
const last = { ...sampleCharge({ key: "z" }), createdAtMillis: 9_000 }

const activityOf = (sinceMillis: number, nowMillis: number, of: Partial<typeof last> = {}) =>
  Charges.use((charges) => charges.payerActivity({ ...last, ...of }, sinceMillis, nowMillis))
const activity = (openAtomic: string, settledAtomic: string): PayerActivity => ({ openAtomic, settledAtomic })

const maxSettled = 200

/** Contract of `payerActivity`. */
export const payerActivityCases: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: a payer's open amounts are its ready and claimed charges", function* () {
    expectEqual(yield* activityOf(0, 0), activity("0", "0"), "of a payer without charges")
    const charges = yield* chargesWithOne("ready", { key: "ready", amountAtomic: "1" })
    yield* chargesWithOne("claimed", { key: "claimed", amountAtomic: "20" })
    yield* chargesWithOne("voided", { key: "voided", amountAtomic: "300", exposureAtomic: "1" })
    yield* chargesWithOne("settled", { key: "settled", amountAtomic: "4000" })
    expectEqual(yield* activityOf(1_501, 1_999), activity("21", "0"), "while the lease runs")
    expectEqual(yield* activityOf(1_501, 2_000), activity("1", "0"), "once it has expired")
    yield* charges.complete("ready", paid, 1_400)
    expectEqual(yield* activityOf(1_501, 2_000), activity("0", "0"), "once all of them are settled")
  }),
  storeCase("Charges: a payer's open amounts include no payment that expired 15 minutes ago", function* () {
    yield* chargesWithOne("ready", { key: "ready", amountAtomic: "1", validBeforeSeconds: 2_000 })
    const end = 2_000_000 + 15 * 60_000
    expectEqual(yield* activityOf(0, end - 1), activity("1", "0"), "before")
    expectEqual(yield* activityOf(0, end), activity("0", "0"), "at the end")
  }),
  storeCase("Charges: a payer's open amounts include charges up to the given one, by age", function* () {
    const ages = [
      ["b", 1_000, "1"],
      ["a", 1_001, "20"],
      ["b2", 1_001, "300"],
      ["c", 1_002, "4000"]
    ] as const
    for (const [own, createdAtMillis, amountAtomic] of ages)
      yield* chargesWithOne("ready", { key: own, createdAtMillis, amountAtomic })
    const sums = yield* Effect.forEach(ages, ([own, createdAtMillis]) =>
      activityOf(0, 0, { key: own, createdAtMillis })
    )
    expectEqual(
      sums.map(({ openAtomic }) => openAtomic),
      ["1", "21", "321", "4321"],
      "up to each of them, itself included"
    )
    expectEqual(
      (yield* activityOf(0, 0, { key: "aa", createdAtMillis: 1_001 })).openAtomic,
      "21",
      "up to a charge that isn't recorded"
    )
  }),
  storeCase("Charges: a payer's settled amounts are those since a time, without refunds", function* () {
    const charges = yield* chargesWithOne(
      "settled",
      { key: "old", amountAtomic: "1" },
      { settledAtMillis: 999 }
    )
    yield* chargesWithOne("settled", { key: "recent", amountAtomic: "20" }, { settledAtMillis: 1_000 })
    yield* chargesWithOne("settled", { key: "late", amountAtomic: "300" }, { settledAtMillis: 8_000 })
    yield* chargesWithOne(
      "settled",
      { key: "with a refund due", amountAtomic: "4000" },
      { settledAtMillis: 8_000, settlement: paidRefundDue }
    )
    expectEqual(yield* activityOf(1_000, 5_000), activity("0", "320"), "since 1000")
    expectEqual(yield* activityOf(0, 5_000), activity("0", "321"), "since 0")
    expectEqual(yield* activityOf(8_001, 5_000), activity("0", "0"), "since 8001")
    yield* charges.markRefundDue("late", 8_500, undefined)
    expectEqual(yield* activityOf(1_000, 5_000), activity("0", "20"), "once another refund is due")
  }),
  storeCase("Charges: a payer's activity is that of one payer, network and asset", function* () {
    const others = [{ payer: "0xother" }, { network: "eip155:1" }, { asset: "0xasset" }]
    for (const [index, other] of [{}, ...others].entries()) {
      const amountAtomic = String(10 ** index)
      yield* chargesWithOne("ready", { key: `ready ${index}`, amountAtomic, ...other })
      yield* chargesWithOne("settled", { key: `settled ${index}`, amountAtomic, ...other })
    }
    expectEqual(yield* activityOf(0, 0), activity("1", "1"), "of the payer")
    for (const [index, other] of others.entries()) {
      const amount = String(10 ** (index + 1))
      expectEqual(yield* activityOf(0, 0, other), activity(amount, amount), `of ${JSON.stringify(other)}`)
    }
  }),
  storeCase("Charges: a payer's undone settlement doesn't count as settled", function* () {
    const settlement = { ...paid, finalAfterMillis: 5_000 }
    const charges = yield* chargesWithOne("settled", { key: "a", amountAtomic: "70" }, { settlement })
    expectEqual(yield* activityOf(0, 0), activity("0", "70"), "before")
    yield* charges.reopen("a", "me", 1_600)
    expectEqual(yield* activityOf(0, 0), activity("70", "0"), "after")
    yield* charges.complete("a", paid, 1_700)
    expectEqual(yield* activityOf(0, 0), activity("0", "70"), "once it settled a second time")
  }),
  storeCase(`Charges: a payer's latest ${maxSettled} settlements count, with exact sums`, function* () {
    const charges = yield* Charges
    const amountAtomic = "98765432109876543210987"
    const settled = (number: number, amount: string) =>
      Effect.gen(function* () {
        const own = `key-${number}`
        yield* charges.claim(sampleCharge({ key: own, amountAtomic: amount }), lease("me"), 1_000, unlimited)
        yield* charges.advance(own, "me", outcome)
        yield* charges.complete(own, paid, 2_000 + number)
      })
    yield* settled(0, "1")
    yield* Effect.forEach(
      Array.from({ length: maxSettled - 1 }, (_, index) => index + 1),
      (number) => settled(number, amountAtomic),
      { concurrency: 10, discard: true }
    )
    const all = BigInt(amountAtomic) * BigInt(maxSettled - 1)
    expectEqual(yield* activityOf(0, 0), activity("0", String(all + 1n)), `of ${maxSettled}`)
    yield* settled(maxSettled, amountAtomic)
    expectEqual(
      yield* activityOf(0, 0),
      activity("0", String(all + BigInt(amountAtomic))),
      "without the oldest"
    )
  })
]
