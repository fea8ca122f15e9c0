import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { SearchProduct } from "../../../src/shop/goods/Product.ts"
import type { MarketplaceOptions } from "../../../src/shop/ports/Marketplaces.ts"
import { guardedMarketplaces, Marketplaces } from "../../../src/shop/ports/Marketplaces.ts"
import { fakeMarketplace, sampleProducts } from "../../../../testing/src/index.ts"
import { PortSettings } from "../../../src/shop/ports/PortGuard.ts"

describe("Marketplaces", () => {
  const searchOf = (search: MarketplaceOptions["search"]) =>
    Effect.flatMap(guardedMarketplaces("own"), ([marketplace]) =>
      marketplace!.search({ q: "tote", page: 1 })
    ).pipe(Effect.provide(Marketplaces.layerPromise({ marketplace_b: { search } })))

  it.effect("reads what is missing as null, drops what is unknown, and knows the source itself", () =>
    Effect.gen(function* () {
      const sparse = {
        asin: "7000000001",
        title: "Tote",
        currency: "USD",
        rating: undefined,
        source: "marketplace_a",
        isExpedited: false,
        internalMargin: 0.4
      }
      const page = yield* searchOf(
        async () => ({ products: [sparse], totalResults: 1, hasMore: false }) as never
      )
      assert.deepStrictEqual(page.products, [
        {
          asin: "7000000001",
          title: "Tote",
          price: null,
          currency: "USD",
          rating: null,
          reviewCount: null,
          imageUrl: null,
          productUrl: null,
          source: "marketplace_b",
          isExpedited: false
        }
      ])
      assert.isTrue(page.products.every(Schema.is(SearchProduct)))
    })
  )

  it.effect("refuses a product code of nothing: several products would be one", () =>
    Effect.gen(function* () {
      const coded = (asin: string) =>
        searchOf(async () => ({
          products: sampleProducts("marketplace_b", 1).map((product) => ({ ...product, asin })),
          totalResults: 1,
          hasMore: false
        }))
      for (const asin of ["undefined", "null"])
        assert.match(
          String((yield* Effect.flip(coded(asin))).cause),
          /products.0.asin: must not be undefined/
        )
      for (const asin of ["undefined-tote", "NULL000001"])
        assert.strictEqual((yield* coded(asin)).products[0]?.asin, asin)
    })
  )

  it.effect(
    "refuses addresses that a browser can't open, and currencies that filters by price don't know",
    () =>
      Effect.gen(function* () {
        const having = (change: object) =>
          searchOf(async () => ({
            products: sampleProducts("marketplace_b", 1).map((product) => ({ ...product, ...change })),
            totalResults: 1,
            hasMore: false
          }))
        for (const [change, message] of [
          [{ productUrl: "/p/lamp" }, /products.0.productUrl: must be an http\(s\) URL/],
          [
            { productUrl: "https://shop.example/p/undefined" },
            /products.0.productUrl: must not have "undefined"/
          ],
          [{ imageUrl: "img/lamp.jpg" }, /products.0.imageUrl: must be an http\(s\) URL/],
          [{ imageUrl: "//cdn.example/lamp.jpg" }, /products.0.imageUrl: must be an http\(s\) URL/],
          [{ currency: "$" }, /products.0.currency: must be a code such as "USD"/],
          [{ title: "undefined" }, /products.0.title: must not be undefined/]
        ] as const)
          assert.match(String((yield* Effect.flip(having(change))).cause), message)
        for (const change of [
          { productUrl: null, imageUrl: null },
          { imageUrl: "https://cdn.example/undefined" },
          {
            productUrl: "http://192.168.0.7:3000/p/my lamp?x=undefined",
            imageUrl: "https://cdn.example/ä.jpg"
          },
          { currency: "eur", title: "Null, or: undefined" }
        ])
          assert.deepInclude((yield* having(change)).products[0], change)
        const nothing = { productUrl: "", imageUrl: "" }
        assert.deepInclude((yield* having(nothing)).products[0], { productUrl: null, imageUrl: null })
      })
  )

  it.effect("keeps `this` of the host's object, and its query from being changed", () =>
    Effect.gen(function* () {
      class Shop implements MarketplaceOptions {
        readonly #products = sampleProducts("marketplace_b", 1)
        async search(query: { page: number }) {
          query.page = 99
          return { products: this.#products, totalResults: 1, hasMore: false }
        }
      }
      const query = { q: "tote", page: 1 }
      const page = yield* Effect.flatMap(guardedMarketplaces("own"), ([marketplace]) =>
        marketplace!.search(query)
      ).pipe(Effect.provide(Marketplaces.layerPromise({ marketplace_b: new Shop() })))
      assert.strictEqual(page.products.length, 1)
      assert.strictEqual(query.page, 1)
    })
  )

  it.effect("have deadlines of their own, up to the longest one", () =>
    Effect.gen(function* () {
      const never = { search: () => new Promise<never>(() => {}) }
      const deadlineOf = (timeoutMillis: number | undefined, deadlines: "own" | "default" = "own") =>
        Effect.gen(function* () {
          const [marketplace] = yield* guardedMarketplaces(deadlines)
          const fiber = yield* Effect.forkChild(Effect.flip(marketplace!.search({ q: "tote", page: 1 })))
          for (let passed = 0; ; passed += 500) {
            if (fiber.pollUnsafe() !== undefined) return passed
            yield* TestClock.adjust(500)
          }
        }).pipe(
          Effect.provide(Marketplaces.layerPromise({ marketplace_a: { ...never, timeoutMillis } })),
          Effect.provideService(PortSettings, { timeoutMillis: 20_000 })
        )
      assert.strictEqual(yield* deadlineOf(undefined), 8_000)
      assert.strictEqual(yield* deadlineOf(16_500), 16_500)
      assert.strictEqual(yield* deadlineOf(60_000), 18_000)
      assert.strictEqual(yield* deadlineOf(16_500, "default"), 8_000)
      assert.strictEqual(yield* deadlineOf(500, "default"), 500)
    })
  )

  it.effect("stand in the order of their names, those that are configured", () =>
    Effect.gen(function* () {
      const fakes = {
        marketplace_b: fakeMarketplace("marketplace_b"),
        marketplace_a: fakeMarketplace("marketplace_a")
      }
      const sources = (options: Partial<typeof fakes>) =>
        Effect.map(Marketplaces, (all) => all.map(({ source }) => source)).pipe(
          Effect.provide(Marketplaces.layerPromise(options))
        )
      assert.deepStrictEqual(yield* sources(fakes), ["marketplace_a", "marketplace_b"])
      assert.deepStrictEqual(yield* sources({ marketplace_b: fakes.marketplace_b }), ["marketplace_b"])
      assert.deepStrictEqual(yield* sources({}), [])
    })
  )
})
