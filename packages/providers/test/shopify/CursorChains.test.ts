import type { ProductQuery } from "@till402/core"
import { it as effectIt } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import { CursorChains } from "../../src/shopify/CursorChains.ts"
import { ids } from "./catalogue.ts"
import {
  fakeCatalogue,
  type FakeCatalogue,
  productDocument,
  rpcError,
  type ToolCall
} from "./fakeCatalogue.ts"
import { products, names, over } from "./searchPages.ts"

/*
 * Pages by number over a catalogue that pages by cursor.
 */

const cursorsOf = ({ calls }: FakeCatalogue) =>
  calls.map(({ params }) => params.arguments.catalog.pagination.cursor ?? "start")

describe("pages over cursors", () => {
  effectIt.effect("follow each other with a call each", () =>
    Effect.gen(function* () {
      const fake = fakeCatalogue(products(25))
      const search = yield* over(fake)
      const pages = []
      for (const page of [1, 2, 3]) pages.push(yield* search({ page }))
      assert.deepStrictEqual(pages.map(ids), [names(1, 10), names(11, 20), names(21, 25)])
      assert.deepStrictEqual(
        pages.map(({ hasMore, totalResults }) => [hasMore, totalResults]),
        [
          [true, 25],
          [true, 25],
          [false, 25]
        ]
      )
      assert.deepStrictEqual(cursorsOf(fake), ["start", "0-10", "0-20"])
    })
  )

  effectIt.effect("can be opened at any place; the way there is remembered", () =>
    Effect.gen(function* () {
      const fake = fakeCatalogue(products(60))
      const search = yield* over(fake)
      assert.deepStrictEqual(ids(yield* search({ page: 4 })), names(31, 40))
      assert.deepStrictEqual(cursorsOf(fake), ["start", "0-10", "0-20", "0-30"])
      assert.deepStrictEqual(ids(yield* search({ page: 3 })), names(21, 30))
      assert.deepStrictEqual(ids(yield* search({ page: 6 })), names(51, 60))
      assert.deepStrictEqual(cursorsOf(fake).slice(4), ["0-20", "0-40", "0-50"])
    })
  )

  effectIt.effect("are filled from the next one if filters leave them empty", () =>
    Effect.gen(function* () {
      const others = Array.from({ length: 10 }, (_, index) => productDocument(100 + index, { title: "Lamp" }))
      const fake = fakeCatalogue([...others, productDocument(1, { title: "Acme shoes" })])
      const search = yield* over(fake)
      const found = yield* search({ brand: "Acme" })
      assert.deepStrictEqual([ids(found), found.hasMore], [["test1"], false])
      assert.deepStrictEqual(cursorsOf(fake), ["start", "0-10"])
    })
  )

  effectIt.effect("past the last are empty, and cost a call once at most", () =>
    Effect.gen(function* () {
      const fake = fakeCatalogue(products(15))
      const search = yield* over(fake)
      const beyond = { products: [], totalResults: 15, hasMore: false }
      assert.deepStrictEqual(yield* search({ page: 5 }), beyond)
      assert.deepStrictEqual(cursorsOf(fake), ["start", "0-10"])
      assert.deepStrictEqual(yield* search({ page: 3 }), beyond)
      assert.strictEqual(fake.calls.length, 2)
    })
  )

  effectIt.effect("past the bound are empty without a call, and the last one promises none", () =>
    Effect.gen(function* () {
      const fake = fakeCatalogue(products(100))
      const search = yield* over(fake, { maxPages: 3 })
      assert.deepStrictEqual(yield* search({ page: 4 }), { products: [], totalResults: 0, hasMore: false })
      assert.deepStrictEqual(yield* search({ page: Number.MAX_SAFE_INTEGER }), {
        products: [],
        totalResults: 0,
        hasMore: false
      })
      assert.strictEqual(fake.calls.length, 0)
      assert.deepInclude(yield* search({ page: 3 }), { hasMore: false, totalResults: 100 })
    })
  )

  effectIt.effect("end with the first, where the catalogue gives no cursor", () =>
    Effect.gen(function* () {
      const fake = fakeCatalogue(products(10), { tellsTotal: false })
      const search = yield* over(fake)
      assert.deepInclude(yield* search(), { totalResults: 10, hasMore: false })
      assert.deepStrictEqual(yield* search({ page: 2 }), { products: [], totalResults: 10, hasMore: false })
      assert.strictEqual(fake.calls.length, 1)
    })
  )

  effectIt.effect("count what they saw, where the catalogue has no total", () =>
    Effect.gen(function* () {
      const search = yield* over(fakeCatalogue(products(25), { tellsTotal: false, maxLimit: 7 }))
      const totals = []
      for (const page of [1, 2, 3, 4]) totals.push((yield* search({ page })).totalResults)
      assert.deepStrictEqual(totals, [8, 15, 22, 25])
    })
  )

  effectIt.effect("of different searches don't mix", () =>
    Effect.gen(function* () {
      const fake = fakeCatalogue(products(30))
      const search = yield* over(fake)
      yield* search({ page: 2 })
      const others: ReadonlyArray<Partial<ProductQuery>> = [
        { q: "boots" },
        { brand: "Northwind" },
        { priceMin: 1 },
        { priceMax: 99 },
        { priceMin: 1, priceMax: 99 }
      ]
      for (const other of others) yield* search({ ...other, page: 2 })
      assert.strictEqual(cursorsOf(fake).filter((cursor) => cursor === "start").length, 6)
    })
  )

  effectIt.effect("start anew when old cursors are no longer taken", () =>
    Effect.gen(function* () {
      const fake = fakeCatalogue(products(40))
      const search = yield* over(fake)
      yield* search({ page: 3 })
      fake.expireCursors()
      assert.deepStrictEqual(ids(yield* search({ page: 3 })), names(21, 30))
      assert.deepStrictEqual(cursorsOf(fake).slice(3), ["0-20", "start", "1-10", "1-20"])
    })
  )

  effectIt.effect("start anew once: a refusal that stays is returned", () =>
    Effect.gen(function* () {
      const fake = fakeCatalogue(products(40))
      let refuses = false
      let calls = 0
      const search = yield* over({
        respond: (call) => {
          calls += 1
          return refuses ? rpcError(-32602, "Tool not found: search_catalog") : fake.respond(call)
        }
      })
      yield* search({ page: 2 })
      refuses = true
      assert.include(yield* Effect.flip(search({ page: 2 })), { _tag: "UpstreamFailed" })
      assert.strictEqual(calls, 4)
      // Without cursors there is nothing to start anew.
      yield* Effect.flip(search({ page: 2 }))
      assert.strictEqual(calls, 5)
    })
  )

  effectIt.effect("forget the way after ten minutes", () =>
    Effect.gen(function* () {
      const fake = fakeCatalogue(products(40))
      const search = yield* over(fake)
      yield* search({ page: 2 })
      yield* TestClock.adjust("9 minutes")
      yield* search({ page: 2 })
      assert.strictEqual(fake.calls.length, 3)
      yield* TestClock.adjust("61 seconds")
      yield* search({ page: 2 })
      assert.deepStrictEqual(cursorsOf(fake), ["start", "0-10", "0-10", "start", "0-10"])
    })
  )

  effectIt.effect("don't run in circles after a catalogue that does", () =>
    Effect.gen(function* () {
      const calls: Array<ToolCall> = []
      const search = yield* over({
        respond: (call) => {
          calls.push(call)
          return {
            jsonrpc: "2.0",
            id: 1,
            result: {
              structuredContent: {
                products: [productDocument(calls.length)],
                pagination: { cursor: calls.length % 2 === 0 ? "even" : "odd", has_next_page: true }
              }
            }
          }
        }
      })
      const hasMore = []
      for (const page of [1, 2, 3, 4]) hasMore.push((yield* search({ page })).hasMore)
      assert.deepStrictEqual(hasMore, [true, true, false, false])
      assert.strictEqual(calls.length, 3)
    })
  )

  effectIt.effect("end where the catalogue ends them, though it gives a cursor", () =>
    Effect.gen(function* () {
      const structuredContent = {
        products: [productDocument(1)],
        pagination: { cursor: "next", has_next_page: false }
      }
      const search = yield* over({
        respond: () => ({ jsonrpc: "2.0", id: 1, result: { structuredContent } })
      })
      assert.deepInclude(yield* search(), { totalResults: 1, hasMore: false })
    })
  )

  it("are remembered for so many searches, the least recently used forgotten first", () => {
    const chains = new CursorChains({ capacity: 2, lifetimeMillis: 1_000 })
    const [first, second] = [chains.of("first", 0), chains.of("second", 0)]
    assert.strictEqual(chains.of("first", 1), first)
    chains.of("third", 1)
    assert.strictEqual(chains.size, 2)
    assert.strictEqual(chains.of("first", 2), first)
    assert.notStrictEqual(chains.of("second", 2), second)
  })

  effectIt.effect("promise nothing after a page without products, or with a cursor that can't be kept", () =>
    Effect.gen(function* () {
      for (const [found, cursor] of [
        [[], "next"],
        [[productDocument(1)], "x".repeat(2_049)],
        [[productDocument(1)], 12],
        [[productDocument(1)], ""]
      ] as const) {
        const pagination = { cursor, has_next_page: true }
        const structuredContent = { products: found, pagination }
        const search = yield* over({
          respond: () => ({ jsonrpc: "2.0", id: 1, result: { structuredContent } })
        })
        assert.isFalse((yield* search()).hasMore)
        assert.deepInclude(yield* search({ page: 2 }), { products: [], hasMore: false })
      }
    })
  )

  effectIt.effect("that many callers want at once are walked to once", () =>
    Effect.gen(function* () {
      const fake = fakeCatalogue(products(60))
      const search = yield* over(fake)
      const pages = yield* Effect.all(
        Array.from({ length: 20 }, () => search({ page: 5 })),
        { concurrency: "unbounded" }
      )
      assert.isTrue(pages.every((page) => ids(page).join() === names(41, 50).join()))
      assert.strictEqual(cursorsOf(fake).filter((cursor) => cursor !== "0-40").length, 4)
    })
  )

  effectIt.effect("keep what was found of the way when a caller goes away", () =>
    Effect.gen(function* () {
      const fake = fakeCatalogue(products(60))
      const search = yield* over(fake, { requestsPerSecond: 1 })
      const gone = yield* Effect.forkChild(search({ page: 5 }))
      yield* TestClock.adjust("2500 millis")
      yield* Fiber.interrupt(gone)
      const calls = fake.calls.length
      assert.isAbove(calls, 1)
      const stays = yield* Effect.forkChild(search({ page: 5 }))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(ids(yield* Fiber.join(stays)), names(41, 50))
      assert.strictEqual(cursorsOf(fake).filter((cursor) => cursor === "start").length, 1)
    })
  )
})
