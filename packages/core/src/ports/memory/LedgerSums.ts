import { type Days, nameOfDay } from "../../runtime/wholeDays.ts"
import { compareText } from "../chargeRules.ts"
import type { LedgerEntry, LedgerTotal } from "../Ledger.ts"

const dayMillis = 86_400_000

/** A sum that grows in place. */
type Sum = Omit<LedgerTotal, "count" | "amountAtomic"> & { count: number; amount: bigint }

/** Sums of ledger entries by day, operation, network, asset and kind. */
export class LedgerSums {
  /** By day since 1970-01-01, then by the rest of the group. */
  private readonly days = new Map<number, Map<string, Sum>>()

  add({ amountAtomic, asset, atMillis, kind, network, operation }: LedgerEntry): void {
    const day = Math.floor(atMillis / dayMillis)
    let sums = this.days.get(day)
    if (sums === undefined) this.days.set(day, (sums = new Map()))
    const name = `${operation}\n${network}\n${asset}\n${kind}`
    const sum = sums.get(name)
    const amount = BigInt(amountAtomic)
    if (sum === undefined)
      sums.set(name, { day: nameOfDay(day), operation, network, asset, kind, count: 1, amount })
    else {
      sum.count++
      sum.amount += amount
    }
  }

  /** A copy of the sums of some days, to add others to. */
  ofDays({ before, from }: Days): LedgerSums {
    const copy = new LedgerSums()
    for (const [day, sums] of this.days)
      if (day >= from && day < before)
        copy.days.set(day, new Map(Array.from(sums, ([name, sum]) => [name, { ...sum }])))
    return copy
  }

  /** All sums, by day, operation, network, asset and kind. */
  totals(): ReadonlyArray<LedgerTotal> {
    return Array.from(this.days)
      .toSorted(([left], [right]) => left - right)
      .flatMap(([, sums]) =>
        Array.from(sums)
          .toSorted(([left], [right]) => compareText(left, right))
          .map(([, { amount, ...sum }]) => ({ ...sum, amountAtomic: amount.toString() }))
      )
  }
}
