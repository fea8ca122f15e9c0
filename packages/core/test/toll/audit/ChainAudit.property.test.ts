import { describe, expect, it } from "vitest"
import { type Dice, dice, property, shareOfRuns } from "../../domain/seeded.ts"
import { from, span, type Paid, hexOf, moved, keyOf, check } from "./auditedChain.ts"

/** Payments as they are, payments that the ledger has and the chain has not, and transfers of strangers. */
const randomWorld = (world: Dice) => {
  const payments: Array<Paid> = []
  const bogus = new Set<number>()
  const transactions = 1 + world.below(6)
  const logs = new Map<string, number>()
  const nextLog = (transaction: string): number => {
    const logIndex = (logs.get(transaction) ?? world.below(3)) + 1 + world.below(2)
    logs.set(transaction, logIndex)
    return logIndex
  }
  const timeOf = new Map(
    Array.from({ length: transactions }, (_, index) => [hexOf(index), from + world.below(20 * 60) * 60_000])
  )
  for (let count = world.below(12); count > 0; count--) {
    const transaction = hexOf(world.below(transactions))
    const atMillis = timeOf.get(transaction)!
    const enteredMillis = Math.min(
      atMillis + world.pick([1, 2, 60, 7_200, 30_000]) * 1_000,
      span.beforeMillis - 1
    )
    if (world.below(3) === 0) {
      bogus.add(payments.length)
      payments.push({
        transaction,
        enteredMillis,
        evidence: { _tag: "NotPaid", reason: world.pick(["canceled", "used_otherwise"]) }
      })
      continue
    }
    const logIndex = nextLog(transaction)
    payments.push({
      transaction,
      enteredMillis,
      moved: moved(transaction, atMillis, { logIndex }),
      ...(world.below(2) === 0 ? { logIndex } : {})
    })
  }
  const foreign = Array.from({ length: world.below(4) }, () => {
    const transaction = hexOf(world.below(transactions))
    return moved(transaction, timeOf.get(transaction)!, {
      logIndex: nextLog(transaction),
      from: world.pick(["0xbb", "0xcc"])
    })
  })
  return { payments, bogus, foreign }
}

describe("the check of a random ledger", () => {
  property(
    "finds exactly the entries without a transfer, and the transfers without an entry",
    shareOfRuns(300),
    async (world) => {
      const { bogus, foreign, payments } = randomWorld(world)
      const found = await check(payments, { foreign })
      expect(new Set(found.faults.map(({ chargeKey }) => chargeKey))).toEqual(
        new Set(Array.from(bogus, (number) => keyOf(number)))
      )
      const nameOf = (transfer: { transaction: string; logIndex: number }) =>
        `${transfer.transaction}:${transfer.logIndex}`
      expect(found.chain!.foreign.map(nameOf).toSorted()).toEqual(foreign.map(nameOf).toSorted())
      expect(found.chain).toMatchObject({
        provenEntries: payments.length - bogus.size,
        openEntries: 0,
        transfers: payments.length - bogus.size + foreign.length
      })
    }
  )

  it("is not trivial: worlds have bogus entries that share a transaction with real ones", () => {
    const shared = Array.from({ length: 300 }, (_, index) => randomWorld(dice(402 + index))).filter(
      ({ bogus, payments }) =>
        Array.from(bogus).some((number) =>
          payments.some((other) => other.moved?.transaction === payments[number]!.transaction)
        )
    )
    expect(shared.length).toBeGreaterThan(100)
  })
})
