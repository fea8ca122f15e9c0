import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { ListOldQuotes } from "../../src/fulfilment/OldQuotes.ts"
import { openQuotes } from "../../src/fulfilment/OpenQuotes.ts"
import { defaultMaxOpenQuotes } from "../../src/fulfilment/QuotePlaces.ts"

const lifetimeMillis = 1_200_000

/** A shop's quotes, with the ids that were created and removed. */
const start = (
  listOld: ListOldQuotes = () => Effect.succeed({ ids: [] }),
  maxOpenQuotes = defaultMaxOpenQuotes
) => {
  const removed: Array<string> = []
  let created = 0
  const remove = (id: string) => Effect.sync(() => removed.push(id))
  const quotes = openQuotes(
    { quoteLifetimeMillis: lifetimeMillis, maxOpenQuotes },
    { remove, listOld, removeOld: (id) => remove(`old ${id}`) }
  )
  const create = Effect.sync(() => ({ id: `${++created}` }))
  const quoteFor = (client: string | undefined) => quotes.track(create, client)
  return { quotes, quote: quoteFor("client"), quoteFor, removed, created: () => created }
}

const small = () => start(undefined, 100)

/** How many of a client's quotes in a row there is room for. */
const sold = (quote: Effect.Effect<unknown, unknown>, most = 200) =>
  Effect.gen(function* () {
    let count = 0
    while (count < most && (yield* Effect.result(quote))._tag === "Success") count++
    return count
  })

describe("open quotes", () => {
  it.effect("of one client are a tenth: others still get theirs", () =>
    Effect.gen(function* () {
      const { quoteFor } = small()
      assert.strictEqual(yield* sold(quoteFor("attacker")), 10)
      assert.deepInclude(yield* Effect.flip(quoteFor("attacker")), {
        _tag: "TemporarilyUnavailable",
        message:
          "Too many of your quotes are unpaid. Nothing was ordered. Pay one, or request the quote again later.",
        retryAfterSeconds: 2_400
      })
      assert.strictEqual(yield* sold(quoteFor("buyer")), 10)
    })
  )

  it.effect("of many busy clients are half: a new client still gets some", () =>
    Effect.gen(function* () {
      const { created, quoteFor } = small()
      for (let client = 0; client < 20; client++) yield* sold(quoteFor(`busy ${client}`))
      // Half is used up by five of them; of the other half, new clients have three each.
      assert.strictEqual(created(), 50 + 15 * 3)
      assert.strictEqual(yield* sold(quoteFor("buyer")), 3)
      assert.deepInclude(yield* Effect.flip(quoteFor("buyer")), {
        message: "The shop has too many unpaid quotes. Nothing was ordered. Request the quote again later.",
        retryAfterSeconds: 2_400
      })
    })
  )

  it.effect("of clients without an address share half of the places", () =>
    Effect.gen(function* () {
      const { quoteFor } = small()
      assert.strictEqual(yield* sold(quoteFor(undefined)), 50)
      assert.strictEqual(yield* sold(quoteFor("buyer")), 3)
    })
  )

  it.effect("leave their place when they are bought, fail or are removed", () =>
    Effect.gen(function* () {
      const { quote, quotes } = small()
      assert.strictEqual(yield* sold(quote), 10)
      yield* quotes.change("4", Effect.void)
      yield* quotes.change("4", Effect.void)
      assert.strictEqual(yield* sold(quote), 1)
      yield* quotes.change("5", Effect.void)
      for (let attempt = 0; attempt < 30; attempt++) {
        yield* Effect.flip(quotes.track(Effect.fail("down"), "client"))
      }
      assert.strictEqual(yield* sold(quote), 1)
      yield* TestClock.adjust("40 minutes")
      assert.strictEqual(yield* sold(quote, 3), 3)
    })
  )

  it.effect("are not created above the bound, also by many at once", () =>
    Effect.gen(function* () {
      const { created, quoteFor, removed } = small()
      for (let client = 0; client < 30; client++) yield* sold(quoteFor(`client ${client}`), 3)
      assert.strictEqual(created(), 90)
      // Twenty at once compete for the last ten places.
      const last = yield* Effect.all(
        Array.from({ length: 20 }, (_, index) => Effect.result(quoteFor(`late ${index}`))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(last.filter(({ _tag }) => _tag === "Success").length, 10)
      yield* TestClock.adjust("40 minutes")
      yield* quoteFor("client 0")
      yield* Effect.yieldNow
      assert.strictEqual(created(), 101)
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
