import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { PaymentAttempt } from "../../../src/toll/machine/PaymentAttempt.ts"
import type { PayerHistory } from "../../../src/toll/limits/PayerHistory.ts"
import { AdmissionTicket } from "../../../src/toll/limits/AdmissionTicket.ts"
import { VerificationPools } from "../../../src/toll/limits/VerificationPools.ts"

const known = new Set(["0xknown", "0xother"])
/** Remembers no payer: each is looked up. */
const history = {
  recallKnown: () => undefined,
  isKnown: function* ({ payer }: PaymentAttempt) {
    return yield* Effect.succeed(known.has(payer))
  }
} as unknown as PayerHistory

const attemptOf = (payer: string, address: string) =>
  ({
    payer,
    request: { clientAddress: () => address },
    ticket: new AdmissionTicket()
  }) as unknown as PaymentAttempt

const open = () => new VerificationPools({ maxUnverified: 1, maxUnsettled: 1 }, history)
const entering = (pools: VerificationPools, attempt: PaymentAttempt) =>
  Effect.forkChild(
    Effect.gen(() => pools.enter(attempt)),
    { startImmediately: true }
  )

describe("slots for verifications", () => {
  it.effect("of payers are not used up by strangers, nor those of strangers by payers", () =>
    Effect.gen(function* () {
      const pools = open()
      const stranger = attemptOf("0xstranger", "192.0.2.1")
      assert.isTrue(yield* Fiber.join(yield* entering(pools, stranger)))
      const payer = attemptOf("0xknown", "192.0.2.1")
      assert.isTrue(yield* Fiber.join(yield* entering(pools, payer)))
      assert.strictEqual(payer.ticket.placeHolder, "0xknown")
      const second = yield* entering(pools, attemptOf("0xsecond", "192.0.2.2"))
      const other = yield* entering(pools, attemptOf("0xother", "192.0.2.2"))
      yield* Effect.yieldNow
      assert.deepStrictEqual([second.pollUnsafe(), other.pollUnsafe()], [undefined, undefined])
      pools.leave(payer)
      assert.isTrue(yield* Fiber.join(other))
      assert.isUndefined(second.pollUnsafe())
      pools.leave(stranger)
      assert.isTrue(yield* Fiber.join(second))
    })
  )

  it.effect("are given back once", () =>
    Effect.gen(function* () {
      const pools = open()
      const attempt = attemptOf("0xstranger", "2001:db8:1:2::3")
      yield* Fiber.join(yield* entering(pools, attempt))
      assert.strictEqual(attempt.ticket.placeHolder, "2001:db8:1::/48")
      pools.leave(attempt)
      pools.leave(attempt)
      assert.isUndefined(attempt.ticket.placeHolder)
      assert.isTrue(yield* Fiber.join(yield* entering(pools, attemptOf("0xsecond", "192.0.2.2"))))
      const third = yield* entering(pools, attemptOf("0xthird", "192.0.2.3"))
      yield* Effect.yieldNow
      assert.isUndefined(third.pollUnsafe())
    })
  )
})
