import { assert, describe, it as effectIt } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { WaitingCalls } from "../../../src/toll/limits/WaitingCalls.ts"
import { expectFailed, openTill, search } from "../openTill.ts"

describe("waiters", () => {
  effectIt.effect("are woken when the call of their key ends, and others are not", () =>
    Effect.gen(function* () {
      const waiters = new WaitingCalls({ perKey: 2, inAll: 3 })
      const [mine, theirs] = [
        yield* Effect.forkChild(waiters.wait("a"), { startImmediately: true }),
        yield* Effect.forkChild(waiters.wait("b"), { startImmediately: true })
      ]
      waiters.wake("a")
      yield* Fiber.join(mine)
      assert.isUndefined(theirs.pollUnsafe())
      yield* TestClock.adjust(499)
      assert.isUndefined(theirs.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(theirs)
    })
  )

  effectIt.effect("are bounded per key and in total, and leave when they are interrupted", () =>
    Effect.gen(function* () {
      const waiters = new WaitingCalls({ perKey: 2, inAll: 3 })
      const start = (key: string) => Effect.forkChild(waiters.wait(key), { startImmediately: true })
      const first = yield* start("a")
      const admits = (key: string) => waiters.admits(key, true)
      assert.isTrue(admits("a"))
      yield* start("a")
      assert.deepStrictEqual([admits("a"), admits("b")], [false, true])
      yield* start("b")
      assert.isFalse(admits("c"))
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual([admits("a"), admits("c")], [true, true])
    })
  )

  effectIt.effect("of strangers leave a quarter of the places to known payers", () =>
    Effect.gen(function* () {
      const waiters = new WaitingCalls({ perKey: 2, inAll: 4 })
      for (const key of ["a", "b", "c"]) {
        assert.isTrue(waiters.admits(key, false))
        yield* Effect.forkChild(waiters.wait(key), { startImmediately: true })
      }
      assert.deepStrictEqual([waiters.admits("d", false), waiters.admits("d", true)], [false, true])
      yield* Effect.forkChild(waiters.wait("d"), { startImmediately: true })
      assert.isFalse(waiters.admits("e", true))
    })
  )
})

it("copies of one payment that wait are bounded: the rest get a 409", async () => {
  const shop = await openTill()
  shop.facilitator.delays(100)
  const payment = await shop.payFor(search)
  const responses = await Promise.all(Array.from({ length: 200 }, () => shop.present(search, payment)))
  const waited = responses.filter(({ status }) => status === 200)
  expect(waited.length).toBeGreaterThanOrEqual(64)
  for (const response of responses)
    if (response.status !== 200) expectFailed(response, 409, "PAYMENT_IN_PROGRESS")
  expect(new Set(waited.map(({ text }) => text)).size).toBe(1)
  expect(shop.facilitator.settled).toHaveLength(1)
})
