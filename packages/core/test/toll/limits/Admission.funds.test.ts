import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Charges } from "../../../src/ports/Charges.ts"
import { Chain } from "../../../src/toll/evidence/Chain.ts"
import { Facilitator } from "../../../src/toll/facilitator/Facilitator.ts"
import { Admission } from "../../../src/toll/limits/Admission.ts"
import { PaymentReversals } from "../../../src/toll/limits/PaymentReversals.ts"
import { openAttempt, taskOf } from "../../../src/toll/attempt/PaymentAttempt.ts"
import { nowSeconds, offer, payloadV2, sepolia } from "../payments.ts"
import { tollRequest } from "../tollRequest.ts"

/*
 * Compares a payer's balance with their open payments, and counts how often it is read from the node.
 */

const startMillis = nowSeconds * 1_000
const price = 10_000n

/** A payer whose payments in other calls are open, and who has money for less. */
const scene = Effect.gen(function* () {
  const payer = { openAtomic: 3n * price, balance: price, reads: 0 }
  const admission = yield* Admission.make({
    exposurePerPayer: price,
    maxExposurePerPayer: price,
    unsettledPerPayer: 10,
    unsettled: 10,
    unverified: 10,
    lossPerHour: price,
    failedPayerMillis: 0,
    leaseMillis: 60_000
  }).pipe(
    Effect.provide(
      PaymentReversals.layer.pipe(
        Layer.provideMerge(
          Layer.mock(Charges, {
            payerActivity: () =>
              Effect.sync(() => ({ openAtomic: String(payer.openAtomic), settledAtomic: "0" }))
          })
        ),
        Layer.merge(Layer.mock(Facilitator, {})),
        Layer.merge(
          Layer.mock(Chain, {
            canRead: () => true,
            balanceOf: () =>
              Effect.sync(() => {
                payer.reads++
                return payer.balance
              })
          })
        )
      )
    )
  )
  const clock = yield* Clock.clockWith(Effect.succeed)
  const payload = payloadV2({})
  const attempt = openAttempt(
    tollRequest(payload, { proofRequired: () => false }),
    { ...sepolia, separator: `0x${"00".repeat(32)}` },
    {
      owner: "me",
      nowMillis: () => clock.currentTimeMillisUnsafe(),
      waitMillis: 10_000,
      canReadChain: true
    }
  )
  const check = Effect.gen(function* () {
    return yield* admission.isCovered(attempt, taskOf(attempt, offer()).request, startMillis)
  })
  return { payer, check: yield* Effect.forkChild(check) }
})

/** Plays a scene at the time of its payment. */
const playing = <A, E>(test: Effect.Effect<A, E>) => Effect.andThen(TestClock.setTime(startMillis), test)

describe("a payment that waits for its payer's other ones", () => {
  it.effect("asks the node for the balance once more before it is refused, and not in between", () =>
    playing(
      Effect.gen(function* () {
        const { check, payer } = yield* scene
        yield* TestClock.adjust("9 seconds")
        assert.deepStrictEqual([check.pollUnsafe(), payer.reads], [undefined, 1])
        yield* TestClock.adjust("1 second")
        assert.isFalse(yield* Fiber.join(check))
        assert.strictEqual(payer.reads, 2)
      })
    )
  )

  it.effect("asks again once one of them has ended", () =>
    playing(
      Effect.gen(function* () {
        const { check, payer } = yield* scene
        yield* TestClock.adjust("1 second")
        payer.openAtomic = 2n * price
        yield* TestClock.adjust("500 millis")
        assert.deepStrictEqual([check.pollUnsafe(), payer.reads], [undefined, 2])
        payer.openAtomic = price
        yield* TestClock.adjust("500 millis")
        assert.isTrue(yield* Fiber.join(check))
        assert.strictEqual(payer.reads, 3)
      })
    )
  )

  it.effect("is covered by money that came meanwhile", () =>
    playing(
      Effect.gen(function* () {
        const { check, payer } = yield* scene
        yield* TestClock.adjust("1 second")
        payer.balance = 3n * price
        yield* TestClock.adjust("9 seconds")
        assert.isTrue(yield* Fiber.join(check))
      })
    )
  )
})
