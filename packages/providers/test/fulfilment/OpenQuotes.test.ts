import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { openQuotes } from "../../src/fulfilment/OpenQuotes.ts"

const lifetimeMillis = 1_200_000

/** A shop's quotes, with the ids that were created and removed. */
const start = () => {
  const removed: Array<string> = []
  let created = 0
  const quotes = openQuotes(lifetimeMillis, (id) => Effect.sync(() => removed.push(id)))
  const quote = quotes.track(Effect.sync(() => ({ id: ++created })))
  return { quotes, quote, removed, created: () => created }
}

describe("open quotes", () => {
  it.effect("are as many as the default budget of all clients, for as long as they are kept", () =>
    Effect.gen(function* () {
      const { created, quote } = start()
      const budgetPerMinute = 600
      for (let minute = 0; minute < 120; minute++) {
        for (let each = 0; each < budgetPerMinute; each++) yield* quote
        yield* TestClock.adjust("1 minute")
      }
      assert.strictEqual(created(), 120 * budgetPerMinute)
    })
  )

  it.effect("are not created beyond those that can be removed later", () =>
    Effect.gen(function* () {
      const { created, quote, removed } = start()
      for (let each = 0; each < 24_990; each++) yield* quote
      // Twenty at once compete for the last ten places.
      const last = yield* Effect.all(
        Array.from({ length: 20 }, () => Effect.result(quote)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(last.filter(({ _tag }) => _tag === "Success").length, 10)
      assert.deepInclude(yield* Effect.flip(quote), {
        _tag: "TemporarilyUnavailable",
        message: "The shop has too many unpaid quotes. Nothing was ordered. Request the quote again later.",
        retryAfterSeconds: 2_400
      })
      yield* TestClock.adjust("40 minutes")
      yield* quote
      yield* Effect.yieldNow
      assert.strictEqual(created(), 25_001)
      assert.deepStrictEqual(removed, ["1", "2", "3"])
    })
  )

  it.effect("stay if their order is being changed, or was", () =>
    Effect.gen(function* () {
      const { quote, quotes, removed } = start()
      yield* quote
      yield* quote
      yield* quotes.change("1", Effect.void)
      yield* TestClock.adjust("40 minutes")
      yield* quote
      yield* Effect.yieldNow
      assert.deepStrictEqual(removed, ["2"])
    })
  )
})
