import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { PayerHistory } from "../../../src/toll/limits/PayerHistory.ts"
import type { PayingCall } from "../../../src/toll/attempt/PayingCall.ts"
import { Releases } from "../../../src/toll/attempt/Releases.ts"
import { VerificationPools } from "../../../src/toll/limits/VerificationPools.ts"

const known = new Set(["0xknown", "0xother"])
/** Remembers no payer: each is looked up. */
const history = {
  recallKnown: () => undefined,
  isKnown: function* ({ payer }: PayingCall) {
    return yield* Effect.succeed(known.has(payer))
  }
} as unknown as PayerHistory

const attemptOf = (payer: string, address: string) =>
  ({
    payer,
    request: { clientAddress: () => address },
    releases: new Releases()
  }) as unknown as PayingCall

const open = () => new VerificationPools({ unverified: 1, unsettled: 1 }, history)
const entering = (pools: VerificationPools, attempt: PayingCall) =>
  Effect.forkChild(pools.enter(attempt), { startImmediately: true })

describe("slots for verifications", () => {
  it.effect("of payers are not used up by strangers, nor those of strangers by payers", () =>
    Effect.gen(function* () {
      const pools = open()
      const stranger = attemptOf("0xstranger", "192.0.2.1")
      assert.isTrue(yield* Fiber.join(yield* entering(pools, stranger)))
      const payer = attemptOf("0xknown", "192.0.2.1")
      assert.isTrue(yield* Fiber.join(yield* entering(pools, payer)))
      const second = yield* entering(pools, attemptOf("0xsecond", "192.0.2.2"))
      const other = yield* entering(pools, attemptOf("0xother", "192.0.2.2"))
      yield* Effect.yieldNow
      assert.deepStrictEqual([second.pollUnsafe(), other.pollUnsafe()], [undefined, undefined])
      payer.releases.release("slot")
      assert.isTrue(yield* Fiber.join(other))
      assert.isUndefined(second.pollUnsafe())
      stranger.releases.release("slot")
      assert.isTrue(yield* Fiber.join(second))
    })
  )

  it.effect("are given back once, to another client first: one network is one client", () =>
    Effect.gen(function* () {
      const pools = open()
      const attempt = attemptOf("0xstranger", "2001:db8:1:2::3")
      yield* Fiber.join(yield* entering(pools, attempt))
      const neighbour = yield* entering(pools, attemptOf("0xsecond", "2001:db8:1:9::4"))
      const other = yield* entering(pools, attemptOf("0xthird", "192.0.2.3"))
      assert.deepStrictEqual(
        [attempt.releases.release("slot"), attempt.releases.release("slot")],
        [true, false]
      )
      assert.isTrue(yield* Fiber.join(other))
      yield* Effect.yieldNow
      assert.isUndefined(neighbour.pollUnsafe())
    })
  )
})
