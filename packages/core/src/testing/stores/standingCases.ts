import { Effect } from "effect"
import { Charges, type PayerStanding } from "../../ports/Charges.ts"
import { chargesWith, lease, outcome, paid, paidBack, unlimited } from "./chargeRecords.ts"
import { sampleCharge } from "./records.ts"
import { equal, type StoreCase, storeCase } from "./StoreCase.ts"

/** A charge that is asked about: later than any other. */
const last = { ...sampleCharge({ key: "z" }), createdAtMillis: 9_000 }

const standingAt = (sinceMillis: number, nowMillis: number, of: Partial<typeof last> = {}) =>
  Charges.use((charges) => charges.payerStanding({ ...last, ...of }, sinceMillis, nowMillis))
const standing = (openAtomic: string, settledAtomic: string): PayerStanding => ({ openAtomic, settledAtomic })

const maxSettled = 200

/** What `payerStanding` promises. */
export const standingCases: ReadonlyArray<StoreCase> = [
  storeCase("Charges: a payer's open amounts are those ready or under a running claim", function* () {
    equal(yield* standingAt(0, 0), standing("0", "0"), "of a payer without charges")
    const charges = yield* chargesWith("ready", { key: "ready", amountAtomic: "1" })
    yield* chargesWith("claimed", { key: "claimed", amountAtomic: "20" })
    yield* chargesWith("voided", { key: "voided", amountAtomic: "300", exposureAtomic: "1" })
    yield* chargesWith("settled", { key: "settled", amountAtomic: "4000" })
    equal(yield* standingAt(1_501, 1_999), standing("21", "0"), "while the lease runs")
    equal(yield* standingAt(1_501, 2_000), standing("1", "0"), "once it has lapsed")
    yield* charges.complete("ready", paid, 1_400)
    equal(yield* standingAt(1_501, 2_000), standing("0", "0"), "once all of them are settled")
  }),
  storeCase(
    "Charges: a payer's open amounts are those up to the given charge, in order of age",
    function* () {
      const ages = [
        ["b", 1_000, "1"],
        ["a", 1_001, "20"],
        ["b2", 1_001, "300"],
        ["c", 1_002, "4000"]
      ] as const
      for (const [own, createdAtMillis, amountAtomic] of ages)
        yield* chargesWith("ready", { key: own, createdAtMillis, amountAtomic })
      const sums = yield* Effect.forEach(ages, ([own, createdAtMillis]) =>
        standingAt(0, 0, { key: own, createdAtMillis })
      )
      equal(
        sums.map(({ openAtomic }) => openAtomic),
        ["1", "21", "321", "4321"],
        "up to each of them, itself included"
      )
      equal(
        (yield* standingAt(0, 0, { key: "aa", createdAtMillis: 1_001 })).openAtomic,
        "21",
        "up to a charge that isn't recorded"
      )
    }
  ),
  storeCase("Charges: a payer's settled amounts are those since a time, without a refund", function* () {
    const charges = yield* chargesWith("settled", { key: "old", amountAtomic: "1" }, { settledAtMillis: 999 })
    yield* chargesWith("settled", { key: "recent", amountAtomic: "20" }, { settledAtMillis: 1_000 })
    yield* chargesWith("settled", { key: "late", amountAtomic: "300" }, { settledAtMillis: 8_000 })
    yield* chargesWith(
      "settled",
      { key: "owed back", amountAtomic: "4000" },
      { settledAtMillis: 8_000, settlement: paidBack }
    )
    equal(yield* standingAt(1_000, 5_000), standing("0", "320"), "since 1000")
    equal(yield* standingAt(0, 5_000), standing("0", "321"), "since 0")
    equal(yield* standingAt(8_001, 5_000), standing("0", "0"), "since 8001")
    yield* charges.oweRefund("late", 8_500)
    equal(yield* standingAt(1_000, 5_000), standing("0", "20"), "once another refund is due")
  }),
  storeCase("Charges: a payer's standing is of one payer, network and asset", function* () {
    const others = [{ payer: "0xother" }, { network: "eip155:1" }, { asset: "0xasset" }]
    for (const [index, other] of [{}, ...others].entries()) {
      const amountAtomic = String(10 ** index)
      yield* chargesWith("ready", { key: `ready ${index}`, amountAtomic, ...other })
      yield* chargesWith("settled", { key: `settled ${index}`, amountAtomic, ...other })
    }
    equal(yield* standingAt(0, 0), standing("1", "1"), "of the payer")
    for (const [index, other] of others.entries()) {
      const amount = String(10 ** (index + 1))
      equal(yield* standingAt(0, 0, other), standing(amount, amount), `of ${JSON.stringify(other)}`)
    }
  }),
  storeCase("Charges: a payer's settlement that was undone does not count as settled", function* () {
    const settlement = { ...paid, finalAfterMillis: 5_000 }
    const charges = yield* chargesWith("settled", { key: "a", amountAtomic: "70" }, { settlement })
    equal(yield* standingAt(0, 0), standing("0", "70"), "before")
    yield* charges.reopen("a", "me", 1_600)
    equal(yield* standingAt(0, 0), standing("70", "0"), "after")
    yield* charges.complete("a", paid, 1_700)
    equal(yield* standingAt(0, 0), standing("0", "70"), "once it settled a second time")
  }),
  storeCase(
    `Charges: a payer's latest ${maxSettled} settlements count at most, sums are exact`,
    function* () {
      const charges = yield* Charges
      const amountAtomic = "98765432109876543210987"
      const settled = (number: number, amount: string) =>
        Effect.gen(function* () {
          const own = `key-${number}`
          yield* charges.claim(
            sampleCharge({ key: own, amountAtomic: amount }),
            lease("me"),
            1_000,
            unlimited
          )
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
      equal(yield* standingAt(0, 0), standing("0", String(all + 1n)), `of ${maxSettled}`)
      yield* settled(maxSettled, amountAtomic)
      equal(yield* standingAt(0, 0), standing("0", String(all + BigInt(amountAtomic))), "without the oldest")
    }
  )
]
