import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { ListOldQuotes } from "../../src/fulfilment/OldQuotes.ts"
import { openQuotes } from "../../src/fulfilment/OpenQuotes.ts"

const lifetimeMillis = 1_200_000

/** A shop's quotes, with the ids that were created and removed. */
const start = (listOld: ListOldQuotes = () => Effect.succeed({ ids: [] })) => {
  const removed: Array<string> = []
  let created = 0
  const remove = (id: string) => Effect.sync(() => removed.push(id))
  const quotes = openQuotes(lifetimeMillis, { remove, listOld, removeOld: (id) => remove(`old ${id}`) })
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

  it.effect("of other processes are removed two days after they could have been, a part each minute", () =>
    Effect.gen(function* () {
      const lists: Array<readonly [number, string | undefined]> = []
      const { quote, removed } = start((createdBefore, from) => {
        lists.push([createdBefore, from])
        if (lists.length === 3) return Effect.fail("busy")
        return Effect.succeed(from === undefined ? { ids: ["7", "8"], next: "9" } : { ids: ["9"] })
      })
      yield* TestClock.adjust("100 hours")
      const listed: Array<number> = []
      for (const pause of [
        "0 seconds",
        "59 seconds",
        "1 second",
        "1 minute",
        "59 minutes",
        "1 minute",
        "1 minute"
      ] as const) {
        yield* TestClock.adjust(pause)
        yield* quote
        yield* Effect.yieldNow
        listed.push(lists.length)
      }
      assert.deepStrictEqual(listed, [0, 0, 1, 2, 2, 3, 4])
      assert.deepStrictEqual(
        lists.map(([, from]) => from),
        [undefined, "9", undefined, undefined]
      )
      const [[createdBefore]] = lists as [[number, undefined]]
      assert.strictEqual(createdBefore, (100 - 48) * 3_600_000 + 60_000 - 2 * lifetimeMillis)
      assert.deepStrictEqual(
        removed.filter((each) => each.startsWith("old")),
        ["old 7", "old 8", "old 9", "old 7", "old 8"]
      )
    })
  )
})
