import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { judgePayment, resumeRefunds, stopRefunds } from "../../src/refunds/RefundGuard.ts"
import type { Charge, RefundStart } from "../../src/ports/Charges.ts"
import { sampleReceipt } from "../../../testing/src/stores/records.ts"
import type { ChainEvidence } from "../../src/toll/evidence/Chain.ts"
import {
  keyOf,
  maxAtomic,
  network,
  nowMillis,
  owed,
  payer,
  play,
  proven,
  type Script,
  storeError
} from "../shop/orders/refundScene.ts"

const { transaction } = sampleReceipt()

describe("the guard of a refund", () => {
  const admit = (script: Script, charge: Charge = owed(), isFunded = true) =>
    play(script, ({ calls, events, guard, of }) =>
      Effect.map(guard.tryStart(charge, network, Effect.succeed(isFunded)), (isAdmitted) => ({
        isAdmitted,
        calls,
        events,
        of
      }))
    )
  const start = (_tag: RefundStart["_tag"]) => ({ startRefund: () => Effect.succeed({ _tag }) })

  it("looks for the payment by its transaction, then counts the refund against its payer's limit", async () => {
    const { isAdmitted, of } = await admit({ evidence: [proven] })
    expect(isAdmitted).toBe(true)
    expect(of("evidence")).toEqual([
      [
        network,
        {
          from: payer,
          to: owed().payTo,
          value: "10000",
          validAfter: "0",
          validBefore: "1000",
          nonce: "0x01"
        },
        { transaction }
      ]
    ])
    expect(of("startRefund")).toEqual([
      [keyOf("0x01"), { sinceMillis: nowMillis - 3_600_000, maxAtomic }, nowMillis]
    ])
    expect(of("refundStop")).toHaveLength(2)
  })

  it("trusts the ledger where the chain can't be read", async () => {
    const { isAdmitted, of } = await admit({})
    expect([isAdmitted, of("evidence"), of("startRefund").length]).toEqual([true, [], 1])
  })

  it.each<readonly [string, Script, Partial<Charge>]>([
    ["the payment is not final", { evidence: [{ ...proven, isFinal: false } as ChainEvidence] }, {}],
    ["the payment is still checked", { evidence: [proven] }, { awaitsFinality: true }],
    ["the chain fails", { evidence: [{ _tag: "Unavailable" }] }, {}]
  ])("lets it wait, uncounted, where %s", async (_, script, changes) => {
    const { events, isAdmitted, of } = await admit(script, owed("0x01", changes))
    expect([isAdmitted, of("startRefund"), events]).toEqual([false, [], []])
  })

  it("lets it wait, uncounted, where the wallet is not funded for it", async () => {
    const { events, isAdmitted, of } = await admit({ evidence: [proven] }, owed(), false)
    expect([isAdmitted, of("startRefund"), events]).toEqual([false, [], []])
  })

  it("stops refunds at a payment that is not on the chain, funded or not", async () => {
    const charges = { stopRefunds: () => Effect.succeed(true) }
    const evidence: ReadonlyArray<ChainEvidence> = [{ _tag: "NotPaid", reason: "canceled" }]
    const { isAdmitted, of } = await admit({ evidence, charges }, owed(), false)
    expect([isAdmitted, of("stopRefunds")]).toEqual([false, [["payment_not_on_chain", nowMillis]]])
  })

  it("lets it wait where it is not due", async () => {
    const { events, isAdmitted } = await admit({ evidence: [proven], charges: start("NotDue") })
    expect([isAdmitted, events]).toEqual([false, []])
  })

  it.each([
    ["with its transaction", {}, transaction],
    ["without a receipt", { receipt: undefined, transferLogIndex: undefined }, undefined]
  ])("reports one over the limit, %s", async (_, changes, transaction) => {
    const { events, isAdmitted } = await admit({ charges: start("OverLimit") }, owed("0x01", changes))
    expect(isAdmitted).toBe(false)
    expect(events).toEqual([
      {
        level: "error",
        code: "refund_over_limit",
        message:
          "The refund of 0.01 is above what remains of refunds.perPayerPerHour (5.00) for its payer: it is sent later",
        chargeKey: keyOf("0x01"),
        network: network.caip2,
        transaction
      }
    ])
  })

  it("reports one of exactly the limit as one that is sent later", async () => {
    const { events } = await admit({ charges: start("OverLimit") }, owed("0x01", { amountAtomic: maxAtomic }))
    expect(events).toMatchObject([
      { code: "refund_over_limit", message: expect.stringContaining("sent later") }
    ])
  })

  it("reports one above the limit by itself as one that is never sent", async () => {
    const { events } = await admit(
      { charges: start("OverLimit") },
      owed("0x01", { amountAtomic: "111920000" })
    )
    expect(events).toMatchObject([
      {
        code: "refund_over_limit",
        message:
          "The refund of 111.92 is above refunds.perPayerPerHour (5.00) and will never be sent by itself: send it, or raise the limit"
      }
    ])
  })

  it.each<readonly [string, Script, Partial<Charge>, string, ReadonlyArray<unknown>]>([
    [
      "a payment that is not on the chain",
      { evidence: [{ _tag: "NotPaid", reason: "canceled" }] },
      {},
      "payment_not_on_chain",
      [transaction]
    ],
    [
      "more refunds than receipts",
      { charges: start("ExceedsReceived") },
      {},
      "refunds_exceed_receipts",
      [transaction]
    ],
    [
      "a charge without its receipt",
      { evidence: [proven] },
      { receipt: undefined },
      "payment_differs_from_record",
      []
    ]
  ])("stops all refunds at %s", async (_, script, changes, reason, details) => {
    const charges = { ...script.charges, stopRefunds: () => Effect.succeed(true) }
    const { events, isAdmitted, of } = await admit({ ...script, charges }, owed("0x01", changes))
    expect(isAdmitted).toBe(false)
    expect(of("stopRefunds")).toEqual([[reason, nowMillis]])
    expect(events.map(({ level, reason, transaction }) => [level, reason, transaction])).toEqual([
      ["error", reason, details[0]]
    ])
  })

  it("does nothing while refunds are stopped", async () => {
    const { isAdmitted, of } = await admit({
      evidence: [proven],
      charges: { refundStop: () => Effect.succeed({ reason: "by hand", atMillis: 1 }) }
    })
    expect([isAdmitted, of("evidence"), of("startRefund")]).toEqual([false, [], []])
  })

  it("sends nothing where refunds were stopped while it was counted", async () => {
    let looks = 0
    const refundStop = () => Effect.sync(() => (++looks > 1 ? { reason: "by hand", atMillis: 1 } : undefined))
    const { isAdmitted, of } = await admit({ evidence: [proven], charges: { refundStop } })
    expect([isAdmitted, of("startRefund").length]).toEqual([false, 1])
  })
})

it("a charge without a receipt is no proof of another transfer", () => {
  const charge = { receipt: undefined, transferLogIndex: 3, awaitsFinality: false, validBeforeSeconds: 1 }
  expect(judgePayment(charge, proven)).toEqual({ _tag: "Stop", reason: "payment_differs_from_record" })
})

describe("stopping refunds", () => {
  const stopping = (stopped: boolean) => ({ charges: { stopRefunds: () => Effect.succeed(stopped) } })

  it.each([
    ["is reported", true, [{ transaction: "0x1" }], { reason: "why", transaction: "0x1" }],
    ["is reported without a detail", true, [], { reason: "why" }]
  ])("%s", (_, stopped, details, fields) =>
    play(stopping(stopped), ({ events, of }) =>
      Effect.gen(function* () {
        expect(yield* stopRefunds("why", ...details)).toBe(true)
        expect(of("stopRefunds")).toEqual([["why", nowMillis]])
        expect(events).toEqual([
          { level: "error", message: expect.stringContaining("operator"), code: "refunds_stopped", ...fields }
        ])
      })
    )
  )

  it("is not reported where they were stopped before", () =>
    play(stopping(false), ({ events }) =>
      Effect.gen(function* () {
        expect(yield* stopRefunds("why")).toBe(false)
        expect(events).toEqual([])
      })
    ))

  it("is reported where the store fails", () =>
    play({ charges: { stopRefunds: () => Effect.fail(storeError) } }, ({ events }) =>
      Effect.gen(function* () {
        expect(yield* Effect.flip(stopRefunds("why"))).toBe(storeError)
        expect(events).toEqual([
          {
            level: "error",
            code: "refund_stop_not_recorded",
            message: expect.stringContaining("failed"),
            reason: "why"
          }
        ])
      })
    ))

  it.each([true, false])("ends, and is reported where it did: %s", (resumed) =>
    play({ charges: { resumeRefunds: () => Effect.succeed(resumed) } }, ({ events }) =>
      Effect.gen(function* () {
        expect(yield* resumeRefunds).toBe(resumed)
        expect(events.map(({ code, level }) => [level, code])).toEqual(
          resumed ? [["info", "refunds_resumed"]] : []
        )
      })
    )
  )
})
