import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { ChargeOperator, type ChargeQuery, summaryOf } from "../../src/operators/ChargeOperator.ts"
import { quietMillis } from "../../src/refunds/RefundAuthorization.ts"
import { type Charge, Charges } from "../../src/ports/Charges.ts"
import { asClaimed, lease } from "../../../testing/src/stores/chargeRecords.ts"
import { sampleCharge, sampleReceipt } from "../../../testing/src/stores/records.ts"

const payer = "0x857b06519E91e3A54538791bDbb0E22373e36b66"
const charge = asClaimed(
  sampleCharge({
    payer: payer.toLowerCase(),
    amountAtomic: "26640000",
    exposureAtomic: "10000",
    createdAtMillis: 1_000
  }),
  lease("me", 9_000)
)

describe("a charge as a host sees it", () => {
  it("has no payload, response or token", () => {
    expect(summaryOf(charge)).toEqual({
      key: charge.key,
      operation: charge.operation,
      network: charge.network,
      payer,
      payTo: charge.payTo,
      amountAtomic: 26_640_000n,
      exposureAtomic: 10_000n,
      state: "claimed",
      transaction: undefined,
      refund: undefined,
      attempts: 0,
      createdAt: new Date(1_000),
      settledAt: undefined
    })
  })

  it.each<[Charge["refund"], string | undefined]>([
    [undefined, undefined],
    [{ _tag: "Due", startedAtMillis: undefined }, "due"],
    [{ _tag: "Due", startedAtMillis: 5 }, "due"],
    [{ _tag: "Sent", transaction: "0xback" }, "sent"]
  ])("shows its refund: %j", (refund, shown) => {
    const receipt = sampleReceipt()
    const settled: Charge = { ...charge, state: "settled", receipt, settledAtMillis: 2_000, refund }
    expect(summaryOf(settled)).toMatchObject({
      state: "settled",
      transaction: receipt.transaction,
      settledAt: new Date(2_000),
      refund: shown
    })
  })
})

describe("an operator", () => {
  const operating = <A>(use: (operator: ChargeOperator["Service"]) => Effect.Effect<A, unknown>) => {
    const calls: Array<ReadonlyArray<unknown>> = []
    return Effect.runPromise(
      Effect.gen(function* () {
        const charges = yield* Charges
        yield* TestClock.setTime(7_000)
        const operator = yield* Effect.provide(ChargeOperator, ChargeOperator.layer).pipe(
          Effect.provideService(Charges, {
            ...charges,
            list: (query) => Effect.sync(() => (calls.push(["list", query]), [charge])),
            recordManualRefund: (...input) =>
              Effect.sync(() => (calls.push(["recordManualRefund", ...input]), true))
          })
        )
        return { calls, result: yield* use(operator) }
      }).pipe(Effect.provide([Charges.layerMemory, TestClock.layer()]))
    )
  }

  it.each<[ChargeQuery | undefined, object]>([
    [undefined, { limit: 50 }],
    [
      { limit: 3, state: "ready" },
      { limit: 3, state: "ready" }
    ],
    [
      { before: { createdAt: new Date(9), key: "k" } },
      { limit: 50, before: { createdAtMillis: 9, key: "k" } }
    ]
  ])("lists a page: %j", async (query, expected) => {
    const { calls, result } = await operating((operator) => operator.list(query))
    expect(calls).toStrictEqual([["list", expected]])
    expect(result).toEqual([summaryOf(charge)])
  })

  it("records a refund at the present time", async () => {
    const { calls, result } = await operating((operator) => operator.recordRefund("k", "0xback"))
    expect([result, calls]).toEqual([
      true,
      [
        ["list", { limit: 1, transaction: "0xback" }],
        ["recordManualRefund", "k", "0xback", 7_000 - quietMillis, 7_000]
      ]
    ])
  })
})
