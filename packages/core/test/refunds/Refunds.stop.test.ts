import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { StoreError } from "../../src/domain/Errors.ts"
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
  type Scene,
  play,
  owe,
  messagesOf,
  stopOf
} from "../shop/orders/refundsOnChain.ts"

const stoppedMessage = "Refunds are stopped until an operator resumes them"

describe("all refunds stop", () => {
  const proofs: ReadonlyArray<readonly [string, ChainEvidence, string]> = [
    ["a nonce that paid nothing", { _tag: "NotPaid", reason: "used_otherwise" }, "payment_not_on_chain"],
    [
      "a payment that expired unused",
      { _tag: "NotMoved", chainTimeSeconds: start / 1000 + 120 },
      "payment_not_on_chain"
    ],
    ["another transfer than the recorded one", finalProof(paymentOf(77)), "payment_differs_from_record"]
  ]
  it.each(proofs)("at %s, in every process, until an operator resumes them", (_, proof, reason) =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        // The newest is looked at first.
        yield* owe(scene.charges, 2)
        scene.evidence.set(hexOf(2), proof)
        yield* scene.refunds.sweep
        expect([scene.sent, yield* stopOf(scene)]).toEqual([[], reason])
        yield* TestClock.adjust(hour)
        const lookups = scene.lookups.length
        yield* (yield* scene.another()).sweep
        expect(scene.lookups).toHaveLength(lookups)
        yield* scene.refunds.send((yield* scene.charges.find(keyOf(1)))!)
        expect(scene.sent).toEqual([])
        expect((yield* scene.charges.find(keyOf(1)))!.refund).toEqual({
          _tag: "Due",
          startedAtMillis: undefined
        })
        expect(scene.events).toEqual([
          {
            level: "error",
            code: "refunds_stopped",
            message: stoppedMessage,
            reason,
            transaction: paymentOf(2)
          }
        ])
        // The operator writes off the one that was never paid.
        yield* scene.charges.recordRefund(keyOf(2), "written off", start + hour)
        expect(yield* scene.charges.resumeRefunds()).toBe(true)
        yield* TestClock.adjust(2 * hour)
        yield* scene.refunds.sweep
        expect(scene.sent).toEqual([refundNonce(keyOf(1))])
      })
    )
  )

  it("where a payer would get more than they paid", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        const refunds = yield* scene.another({
          startRefund: () => Effect.succeed({ _tag: "ExceedsReceived" })
        })
        yield* refunds.sweep
        expect([scene.sent, yield* stopOf(scene)]).toEqual([[], "refunds_exceed_receipts"])
      })
    ))

  it("where another process stops them while one is started", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        const refunds = yield* scene.another({
          startRefund: (...lookups) =>
            Effect.tap(scene.charges.startRefund(...lookups), () =>
              scene.charges.stopRefunds("by hand", start)
            )
        })
        yield* refunds.sweep
        expect(scene.sent).toEqual([])
      })
    ))

  it("yet one that was sent before is recorded", () =>
    play((scene) =>
      Effect.gen(function* () {
        const key = yield* owe(scene.charges, 1)
        scene.world.refundProof = { _tag: "Confirming", transaction: "0xback0" }
        yield* scene.refunds.sweep
        yield* scene.charges.stopRefunds("by hand", start)
        scene.world.refundProof = undefined
        yield* TestClock.adjust(minute)
        yield* scene.refunds.sweep
        expect((yield* scene.charges.find(key))?.refund?._tag).toBe("Sent")
      })
    ))
})

describe("the audit before refunds", () => {
  const bogus = (scene: Scene, number: number) => {
    scene.world.hidden.add(number)
    scene.evidence.set(hexOf(number), { _tag: "NotPaid", reason: "canceled" })
  }

  it("stops them where the ledger has a settlement that the chain has not", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        // Refunded long ago: only the audit looks at it.
        yield* owe(scene.charges, 2)
        yield* scene.charges.recordRefund(keyOf(2), "0xback", start)
        bogus(scene, 2)
        yield* scene.refunds.sweep
        expect([scene.sent, yield* stopOf(scene)]).toEqual([[], "ledger_disagrees_with_chain"])
        expect(scene.events).toMatchObject([
          { code: "refunds_stopped", message: stoppedMessage, error: expect.any(String) }
        ])
      })
    ))

  it("comes before a refund that an order requests, too", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        yield* owe(scene.charges, 2)
        bogus(scene, 2)
        yield* scene.refunds.send((yield* scene.charges.find(keyOf(1)))!)
        expect([scene.sent, yield* stopOf(scene)]).toEqual([[], "ledger_disagrees_with_chain"])
      })
    ))

  it("stops them at the next attempt where the store failed to record it", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* owe(scene.charges, 1)
        yield* owe(scene.charges, 2)
        bogus(scene, 2)
        let isDown = true
        const refunds = yield* scene.another({
          stopRefunds: (...lookups) =>
            isDown
              ? Effect.fail(new StoreError({ operation: "charges.stopRefunds", cause: undefined }))
              : scene.charges.stopRefunds(...lookups)
        })
        expect(yield* Effect.flip(refunds.sweep)).toBeInstanceOf(StoreError)
        expect(messagesOf(scene)).toEqual(["Refunds must be stopped, and the storage failed to record it"])
        isDown = false
        yield* refunds.sweep
        expect([scene.sent, yield* stopOf(scene)]).toEqual([[], "ledger_disagrees_with_chain"])
      })
    ))

  it("does not stop them again for a fault that an operator has seen, and does for another", () =>
    play((scene) =>
      Effect.gen(function* () {
        for (const number of [1, 2, 3]) yield* owe(scene.charges, number)
        for (const number of [2, 3]) yield* scene.charges.recordRefund(keyOf(number), "0xback", start)
        bogus(scene, 2)
        yield* scene.refunds.sweep
        // Another process learns of the fault while refunds are stopped.
        const other = yield* scene.another()
        yield* other.sweep
        yield* scene.charges.resumeRefunds()
        yield* TestClock.adjust(11 * minute)
        yield* scene.refunds.sweep
        yield* other.sweep
        expect([scene.sent.length, yield* stopOf(scene)]).toEqual([1, undefined])
        bogus(scene, 3)
        yield* owe(scene.charges, 4)
        yield* TestClock.adjust(11 * minute)
        yield* scene.refunds.sweep
        expect([scene.sent.length, yield* stopOf(scene)]).toEqual([1, "ledger_disagrees_with_chain"])
      })
    ))

  it("runs every ten minutes at most, and only while something is owed", () =>
    play((scene) =>
      Effect.gen(function* () {
        yield* scene.refunds.sweep
        expect(scene.world.readings).toBe(0)
        for (const number of [1, 2, 3]) yield* owe(scene.charges, number)
        yield* Effect.all([scene.refunds.sweep, scene.refunds.sweep], { concurrency: "unbounded" })
        const once = scene.world.readings
        expect(once).toBeGreaterThan(0)
        yield* owe(scene.charges, 4)
        yield* TestClock.adjust(9 * minute)
        yield* scene.refunds.sweep
        expect(scene.world.readings).toBe(once)
        yield* owe(scene.charges, 5)
        yield* TestClock.adjust(2 * minute)
        yield* scene.refunds.sweep
        expect(scene.world.readings).toBe(2 * once)
        expect(scene.sent).toHaveLength(5)
      })
    ))

  it("accepts transfers of strangers, and chains that can't be read", () =>
    play((scene) =>
      Effect.gen(function* () {
        scene.world.hasForeign = true
        yield* owe(scene.charges, 1)
        yield* scene.refunds.sweep
        scene.world.canRead = false
        scene.world.hidden.add(2)
        yield* owe(scene.charges, 2)
        yield* TestClock.adjust(11 * minute)
        yield* scene.refunds.sweep
        expect([scene.sent.length, yield* stopOf(scene)]).toEqual([2, undefined])
      })
    ))
})
