import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { balanceKeptMillis, recentRead } from "../../src/fulfilment/RecentRead.ts"

/** A balance that fails when it is read for the second time. */
const balance = () => {
  let reads = 0
  const read = Effect.suspend(() => (++reads === 2 ? Effect.fail("unreachable") : Effect.succeed(reads)))
  return recentRead(read, balanceKeptMillis)
}

describe("a balance that was read", () => {
  it.effect("counts for thirty seconds, and a failure for none", () =>
    Effect.gen(function* () {
      const recent = balance()
      assert.deepStrictEqual(yield* Effect.all([recent, recent], { concurrency: 2 }), [1, 1])
      yield* TestClock.adjust(29_999)
      assert.strictEqual(yield* recent, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Effect.flip(recent), "unreachable")
      assert.strictEqual(yield* recent, 3)
    })
  )
})
