import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { refundNonce } from "../../src/refunds/RefundAuthorization.ts"
import { type ChainEvidence } from "../../src/toll/evidence/Chain.ts"
import {
  start,
  minute,
  hour,
  hexOf,
  keyOf,
  paymentOf,
  finalProof,
  play,
  owe,
  messagesOf,
  stopOf
} from "../shop/orders/refundsOnChain.ts"

/*
 * Refunds over a chain that the test writes: what the guard lets through, and what stops all of them.
 */

describe("a refund", () => {
  it("of a payment that the chain shows is sent once, and recorded", () =>
    play((scene) =>
      Effect.gen(function* () {
        const key = yield* owe(scene.charges, 1)
        yield* scene.refunds.sweep
        yield* scene.refunds.sweep
        yield* (yield* scene.another()).sweep
        expect(scene.sent).toEqual([refundNonce(key)])
        expect((yield* scene.charges.find(key))?.refund).toEqual({ _tag: "Sent", transaction: "0xback0" })
        expect(scene.lookups).toEqual([
          [refundNonce(key), { sinceSeconds: start / 1000 }],
          [hexOf(1), { transaction: paymentOf(1) }],
          [refundNonce(key), { sinceSeconds: start / 1000, transaction: "0xback0" }]
        ])
        expect(yield* stopOf(scene)).toBeUndefined()
      })
    ))

  it("waits until its payment is final", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        scene.evidence.set(hexOf(1), { ...finalProof(paymentOf(1)), isFinal: false } as ChainEvidence)
        yield* scene.refunds.sweep
        expect(scene.sent).toEqual([])
        scene.evidence.delete(hexOf(1))
        yield* TestClock.adjust(6_000)
        yield* scene.refunds.sweep
        expect(scene.sent).toHaveLength(1)
        expect(messagesOf(scene)).toEqual([])
      })
    ))

  it("is recorded once its own transfer is final, and sent anew where a reorganization undid it", () =>
    play((scene) =>
      Effect.gen(function* () {
        const key = yield* owe(scene.charges, 1)
        const refund = Effect.map(scene.charges.find(key), (charge) => charge?.refund?._tag)
        scene.world.refundProof = { ...finalProof("0xback0"), isFinal: false } as ChainEvidence
        yield* scene.refunds.sweep
        expect([scene.sent.length, yield* refund]).toEqual([1, "Due"])
        scene.world.refundProof = { _tag: "NotMoved", chainTimeSeconds: start / 1000 }
        yield* TestClock.adjust(minute)
        yield* scene.refunds.sweep
        expect([scene.sent.length, yield* refund]).toEqual([2, "Due"])
        scene.world.refundProof = undefined
        yield* TestClock.adjust(minute)
        yield* scene.refunds.sweep
        expect([scene.sent.length, yield* refund]).toEqual([2, "Sent"])
      })
    ))

  it.each<ChainEvidence>([
    { _tag: "Confirming", transaction: "0xback0" },
    { _tag: "Unavailable" },
    { _tag: "NotPaid", reason: "canceled" }
  ])("is not sent again while its own outcome is $_tag", (proof) =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        scene.world.refundProof = proof
        yield* scene.refunds.sweep
        yield* TestClock.adjust(minute)
        yield* scene.refunds.sweep
        expect(scene.sent).toHaveLength(1)
        const errors = scene.events.filter(({ level }) => level === "error")
        expect(errors).toHaveLength(proof._tag === "NotPaid" ? 1 : 0)
      })
    )
  )

  it("is sent on the ledger's word where the chain can't be read", () =>
    play((scene) =>
      Effect.gen(function* () {
        scene.world.canRead = false
        yield* owe(scene.charges, 1, { transferLogIndex: undefined })
        yield* scene.refunds.sweep
        expect(scene.sent).toHaveLength(1)
      })
    ))
})

describe("the limit of a payer and hour", () => {
  const other = "0x00000000000000000000000000000000000000bb"

  it("holds back that payer's refunds alone, reports it to the operator, and sends them later", () =>
    play(
      (scene) =>
        Effect.gen(function* () {
          for (const number of [1, 2, 3]) yield* owe(scene.charges, number)
          yield* owe(scene.charges, 4, { payer: other })
          yield* scene.refunds.sweep
          expect(new Set(scene.sent)).toEqual(new Set([4, 3, 2].map((number) => refundNonce(keyOf(number)))))
          expect(scene.events).toEqual([
            {
              level: "error",
              code: "refund_over_limit",
              message:
                "The refund of 0.00001 is above what remains of refunds.perPayerPerHour (0.00002) for its payer: it is sent later",
              network: "eip155:84532",
              chargeKey: keyOf(1),
              transaction: paymentOf(1)
            }
          ])
          expect(yield* stopOf(scene)).toBeUndefined()
          yield* TestClock.adjust(hour + minute)
          yield* scene.refunds.sweep
          expect(scene.sent).toHaveLength(4)
        }),
      { perPayerPerHour: 20n }
    ))

  it("is shared by processes that send at the same time", () =>
    play(
      (scene) =>
        Effect.gen(function* () {
          for (let number = 1; number <= 12; number++) yield* owe(scene.charges, number)
          const processes = yield* Effect.all([1, 2, 3].map(() => scene.another()))
          yield* Effect.all(
            processes.map(({ sweep }) => sweep),
            { concurrency: "unbounded" }
          )
          expect(scene.sent).toHaveLength(5)
        }),
      { perPayerPerHour: 59n }
    ))
})
