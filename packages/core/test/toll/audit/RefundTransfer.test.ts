import { Effect } from "effect"
import { expect, it } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import { findUnshownRefunds } from "../../../src/toll/audit/RefundTransfer.ts"
import { Chain } from "../../../src/toll/evidence/Chain.ts"
import { chargesWithOne, key, paidRefundDue } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleAttempt } from "../../../../testing/src/stores/records.ts"
import { hexOf } from "./auditedChain.ts"

const span = { fromMillis: 0, beforeMillis: 10_000 }

/** Looks for refunds on a chain where none is paid; counts the looks. */
const find = (record: Effect.Effect<unknown, unknown, Charges>) => {
  const looks: Array<string> = []
  const chain = {
    canRead: () => true,
    paidBy: (_: unknown, transaction: string) => Effect.sync(() => (looks.push(transaction), 0n))
  }
  return Effect.andThen(
    record,
    Effect.map(findUnshownRefunds(span), (found) => ({ ...found, looks }))
  ).pipe(
    Effect.provideService(Chain, chain as Partial<Chain["Service"]> as Chain["Service"]),
    Effect.provide(Charges.layerMemory),
    Effect.runPromise
  )
}

const refunded = Effect.fnUntraced(function* (chargeKey: string, transaction: string, isStarted = false) {
  const charges = yield* chargesWithOne("settled", { key: chargeKey }, { settlement: paidRefundDue })
  if (isStarted) {
    yield* charges.startRefund(chargeKey, { sinceMillis: 0, maxAtomic: "10000" }, 2_000)
    yield* charges.recordRefundAttempt(sampleAttempt({ chargeKey }))
    yield* charges.stopRefunds("by hand", 2_500)
  }
  expect(yield* charges.recordManualRefund(chargeKey, transaction, 2_500, 3_000)).toBe(true)
})

it("a refund that the wallet had started and an operator sent is compared with the chain", async () => {
  const { unreadRefunds, unshownRefunds } = await find(refunded(key, hexOf(1), true))
  expect(unshownRefunds).toMatchObject([{ chargeKey: key, transaction: hexOf(1) }])
  expect(unreadRefunds).toBe(0)
})

it("refunds past the limit are counted, and one that the wallet started comes last", async () => {
  const numbers = Array.from({ length: 201 }, (_, number) => number)
  const { looks, unreadRefunds, unshownRefunds } = await find(
    Effect.forEach(numbers, (number) => refunded(`${key}${number}`, hexOf(number), number >= 200))
  )
  expect([unshownRefunds.length, unreadRefunds]).toEqual([200, 1])
  expect(looks.toSorted()).toEqual(numbers.slice(0, 200).map(hexOf).toSorted())
})
