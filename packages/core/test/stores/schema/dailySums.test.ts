import { Effect } from "effect"
import { expect, it } from "vitest"
import { Charges, type LedgerEntry, type LedgerTotal } from "../../../src/ports/Charges.ts"
import { nameOfDay } from "../../../src/runtime/wholeDays.ts"
import { chargesWithOne, paidRefundDue } from "../../../../testing/src/stores/chargeRecords.ts"
import { openEngines } from "../sql/engines.ts"

const dayMillis = 86_400_000

const summed = (entries: ReadonlyArray<LedgerEntry>): ReadonlyArray<string> => {
  const sums = new Map<string, { count: number; amount: bigint }>()
  for (const { amountAtomic, atMillis, kind } of entries) {
    const name = `${nameOfDay(Math.floor(atMillis / dayMillis))} ${kind}`
    const { amount, count } = sums.get(name) ?? { amount: 0n, count: 0 }
    sums.set(name, { count: count + 1, amount: amount + BigInt(amountAtomic) })
  }
  return Array.from(sums, ([name, { amount, count }]) => `${name} ${count} ${amount}`).sort()
}

const named = (totals: ReadonlyArray<LedgerTotal>): ReadonlyArray<string> =>
  totals.map(({ amountAtomic, count, day, kind }) => `${day} ${kind} ${count} ${amountAtomic}`).sort()

/** The sums that the store keeps of its first days, and those of its entries. */
const bothSums = Effect.gen(function* () {
  const charges = yield* Charges
  const totals = yield* charges.totals(0, 10 * dayMillis)
  return { totals: named(totals), entries: summed(yield* charges.entries({ limit: 10_000 })) }
})

/** Settles a charge that is due a refund, and sends it. */
const settleAndRefund = Effect.fnUntraced(function* (key: string, settledAtMillis: number) {
  const charges = yield* chargesWithOne("settled", { key }, { settledAtMillis, settlement: paidRefundDue })
  yield* charges.startRefund(key, { sinceMillis: 0, maxAtomic: "1000000000000" }, settledAtMillis)
  yield* charges.recordRefund(key, `0xrefund-of-${key}`, settledAtMillis + dayMillis)
  yield* charges.recordFurtherRefund(key, `0xfurther-of-${key}`, settledAtMillis + dayMillis)
})

it.each(openEngines().engines)(
  "sums by day are those of the entries, however many processes settle and refund at the same time: %s",
  async (_, engine) => {
    const name = await engine.create()
    await engine.open(name, Effect.asVoid(Charges))
    const settleMany = (own: string) =>
      engine.open(
        name,
        Effect.forEach(
          Array.from({ length: 40 }, (_, number) => number),
          (number) => settleAndRefund(`${own}-${number}`, (number % 3) * dayMillis + 1_500),
          { concurrency: 8 }
        )
      )
    await Promise.all(["a", "b", "c"].map(settleMany))
    const { entries, totals } = await engine.open(name, bothSums)
    expect(entries).toHaveLength(3 + 3 + 3)
    expect(entries[0]).toBe("1970-01-01 refund_due 42 420000")
    expect(totals).toEqual(entries)
  }
)
