import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Catalogue } from "../../../src/shop/ports/Catalogue.ts"
import {
  type UpstreamError,
  UpstreamFailed,
  UpstreamUnavailable
} from "../../../src/shop/ports/PortErrors.ts"
import type { SearchProduct, Source } from "../../../src/shop/goods/Product.ts"
import type { SearchQuery } from "../../../src/shop/goods/SearchRequest.ts"
import { type Marketplace, Marketplaces, type ProductQuery } from "../../../src/shop/ports/Marketplaces.ts"
import { CurrentSale, ProductSale } from "../../../src/shop/ports/ProductSale.ts"
import { PortSettings } from "../../../src/shop/ports/PortGuard.ts"
import { sampleProduct, sampleProducts } from "../../../../testing/src/index.ts"

const timeoutMillis = 4_000

const marketplace = (source: Source, search: Marketplace["search"]): Marketplace => ({ source, search })
const marketplaceWith = (source: Source, products: ReadonlyArray<SearchProduct>, more = {}): Marketplace =>
  marketplace(source, () =>
    Effect.succeed({ products, totalResults: products.length, hasMore: false, ...more })
  )
const failing = (source: Source, error: UpstreamError): Marketplace =>
  marketplace(source, () => Effect.fail(error))

const search = (marketplaces: ReadonlyArray<Marketplace>, query: Partial<SearchQuery> = {}) =>
  Effect.flatMap(Catalogue, (catalogue) => catalogue.search({ q: "tote", page: 1, ...query })).pipe(
    Effect.provide(Catalogue.layer.pipe(Layer.provide(Layer.succeed(Marketplaces, marketplaces)))),
    Effect.provideService(PortSettings, { timeoutMillis: 2 * timeoutMillis })
  )

const down = (retryAfterSeconds?: number) =>
  new UpstreamUnavailable({
    port: "marketplace",
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
  })
const broken = new UpstreamFailed({ port: "marketplace", cause: new Error("GET /?q=tote failed") })

const asins = (products: ReadonlyArray<SearchProduct>) => products.map(({ asin }) => asin)
const a = sampleProducts("marketplace_a", 3)
const b = sampleProducts("marketplace_b", 2)

describe("a till that sells what its searches find", () => {
  const page = (host: string) => `https://www.${host}/dp/B0ABCDEFGH`
  const listed = [
    { ...a[0]!, asin: "sold-out", isAvailable: false },
    { ...a[0]!, asin: "unpriced", price: null },
    { ...a[0]!, asin: "in-stock", isAvailable: true },
    { ...a[0]!, asin: "unknown", isAvailable: null },
    { ...a[0]!, asin: "foreign", productUrl: page("amazon.de") },
    { ...a[0]!, asin: "home", productUrl: page("amazon.com") }
  ]
  const marketplaces = [marketplaceWith("marketplace_a", listed, { hasMore: true, totalResults: 60 })]
  const found = (sale: ProductSale | undefined) =>
    Effect.provideService(search(marketplaces), CurrentSale, sale)
  const selling = (generalMarketplace?: { readonly hosts: ReadonlyArray<string> }) => {
    const sale = new ProductSale()
    sale.offer({ generalMarketplace })
    return sale
  }

  it.effect("leaves out what is known to be unavailable, and keeps the marketplace's numbers", () =>
    Effect.gen(function* () {
      const { response } = yield* found(selling())
      assert.deepStrictEqual(asins(response.products), ["unpriced", "in-stock", "unknown", "foreign", "home"])
      assert.deepInclude(response, { totalResults: 60, hasMore: true })
      for (const product of response.products) assert.notProperty(product, "isAvailable")
    })
  )

  it.effect("leaves out a storefront product without a page, by which alone it can be bought", () =>
    Effect.gen(function* () {
      const listed = [
        { ...b[0]!, productUrl: null },
        { ...b[1]!, price: null }
      ]
      const pageless = { ...a[0]!, productUrl: null }
      const searched = search([
        marketplaceWith("marketplace_a", [pageless]),
        marketplaceWith("marketplace_b", listed)
      ])
      const { response } = yield* Effect.provideService(searched, CurrentSale, selling())
      assert.deepStrictEqual(asins(response.products), [pageless.asin, b[1]!.asin])
    })
  )

  it.effect("leaves out products of another shop than it buys from, and reports that once", () => {
    const codes: Array<unknown> = []
    const logger = Logger.make(({ message }) => void codes.push(JSON.stringify(message)))
    return Effect.gen(function* () {
      const sale = selling({ hosts: ["amazon.com"] })
      for (let times = 0; times < 2; times++) {
        const { response } = yield* found(sale)
        assert.include(asins(response.products), "home")
        assert.notInclude(asins(response.products), "foreign")
      }
      assert.lengthOf(
        codes.filter((text) => String(text).includes("finds products that buy")),
        1
      )
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("finds all where nothing is sold", () =>
    Effect.gen(function* () {
      for (const sale of [undefined, new ProductSale()])
        assert.lengthOf((yield* found(sale)).response.products, listed.length)
    })
  )
})

describe("Catalogue", () => {
  it.effect("reports once that searches by price leave out what isn't sold in dollars", () => {
    const texts: Array<string> = []
    const logger = Logger.make(({ message }) => void texts.push(JSON.stringify(message)))
    const inEuros = b.map((product) => ({ ...product, currency: "EUR" }))
    const reports = () => texts.filter((text) => text.includes("aren't sold in US dollars")).length
    const marketplaces = Layer.succeed(Marketplaces, [
      marketplaceWith("marketplace_a", a),
      marketplaceWith("marketplace_b", inEuros)
    ])
    return Effect.gen(function* () {
      const catalogue = yield* Catalogue
      const query = { q: "tote", page: 1 }
      assert.lengthOf((yield* catalogue.search(query)).response.products, a.length + b.length)
      assert.strictEqual(reports(), 0)
      for (let times = 0; times < 2; times++) {
        const { response } = yield* catalogue.search({ ...query, priceMin: 0 })
        assert.deepStrictEqual(asins(response.products), asins(a))
      }
      assert.strictEqual(reports(), 1)
    }).pipe(
      Effect.provide(Catalogue.layer.pipe(Layer.provide(marketplaces))),
      Effect.provideService(PortSettings, { timeoutMillis }),
      Effect.provide(Logger.layer([logger]))
    )
  })

  it.effect("takes products in turns, the sum of counts, and more where any has more", () =>
    Effect.gen(function* () {
      const queries: Array<ProductQuery> = []
      const { missing, response } = yield* search(
        [
          marketplace("marketplace_a", (query) => {
            queries.push(query)
            return Effect.succeed({ products: a, totalResults: 30, hasMore: false })
          }),
          marketplace("marketplace_b", (query) => {
            queries.push(query)
            return Effect.succeed({ products: b, totalResults: 12, hasMore: true })
          })
        ],
        { page: 3, brand: "Acme" }
      )
      assert.deepStrictEqual(response, {
        products: [a[0]!, b[0]!, a[1]!, b[1]!, a[2]!],
        totalResults: 42,
        page: 3,
        hasMore: true
      })
      assert.deepStrictEqual(missing, [])
      const wanted = { q: "tote", page: 3, brand: "Acme" }
      assert.deepStrictEqual(queries, [wanted, wanted])
    })
  )

  it.effect("queries all at once", () =>
    Effect.gen(function* () {
      const slow = (source: Source, products: ReadonlyArray<SearchProduct>) =>
        marketplace(source, () =>
          Effect.as(Effect.sleep(3_000), { products, totalResults: 0, hasMore: false })
        )
      const fiber = yield* Effect.forkChild(search([slow("marketplace_a", a), slow("marketplace_b", b)]))
      yield* TestClock.adjust(3_000)
      assert.strictEqual((yield* Fiber.join(fiber)).response.products.length, 5)
    })
  )

  it.effect("names each product once per marketplace, where it first stands", () =>
    Effect.gen(function* () {
      const twin = sampleProduct({ asin: a[0]!.asin, source: "marketplace_b" })
      const { response } = yield* search([
        marketplaceWith("marketplace_a", [a[0]!, a[1]!, { ...a[0]!, title: "again" }]),
        marketplaceWith("marketplace_b", [twin, twin])
      ])
      assert.deepStrictEqual(response.products, [a[0]!, twin, a[1]!])
    })
  )

  it.effect("applies price filters itself: an unknown price or another currency does not pass", () =>
    Effect.gen(function* () {
      const products = [
        sampleProduct({ asin: "CHEAP00000", price: 9.99 }),
        sampleProduct({ asin: "LOWER00000", price: 10 }),
        sampleProduct({ asin: "UNKNOWN000", price: null }),
        sampleProduct({ asin: "EURO000000", price: 15, currency: "EUR" }),
        sampleProduct({ asin: "UPPER00000", price: 20, currency: "usd" }),
        sampleProduct({ asin: "DEAR000000", price: 20.01 })
      ]
      const found = (query: Partial<SearchQuery>) =>
        Effect.map(search([marketplaceWith("marketplace_a", products)], query), ({ response }) =>
          asins(response.products)
        )
      assert.deepStrictEqual(yield* found({ priceMin: 10, priceMax: 20 }), ["LOWER00000", "UPPER00000"])
      assert.deepStrictEqual(yield* found({ priceMin: 20 }), ["UPPER00000", "DEAR000000"])
      assert.deepStrictEqual(yield* found({ priceMax: 10 }), ["CHEAP00000", "LOWER00000"])
      assert.deepStrictEqual(yield* found({}), asins(products))
    })
  )

  it.effect("responds without the marketplace that failed, and logs it without the query", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.map(Logger.formatJson, (line) => void lines.push(line))
      const { missing, response } = yield* search([
        marketplaceWith("marketplace_a", a),
        failing("marketplace_b", broken)
      ]).pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual(response.products, a)
      assert.deepStrictEqual(missing, ["marketplace_b"])
      assert.strictEqual(lines.length, 2)
      assert.include(lines[0], "provider_failed")
      assert.include(lines[1], "marketplace_b")
      for (const line of lines) {
        assert.include(line, "UpstreamFailed")
        assert.notInclude(line, "tote")
      }
    })
  )

  it.effect("responds without a marketplace that dies", () =>
    Effect.gen(function* () {
      const { missing, response } = yield* search([
        marketplace("marketplace_a", () => Effect.die(new Error("bug"))),
        marketplaceWith("marketplace_b", b)
      ])
      assert.deepStrictEqual(response.products, b)
      assert.deepStrictEqual(missing, ["marketplace_a"])
    })
  )

  it.effect("responds without a marketplace that exceeds its deadline", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        search([marketplace("marketplace_a", () => Effect.never), marketplaceWith("marketplace_b", b)])
      )
      yield* TestClock.adjust(timeoutMillis - 1)
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      yield* TestClock.adjust(1)
      const { missing, response } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(response.products, b)
      assert.strictEqual(response.totalResults, 2)
      assert.deepStrictEqual(missing, ["marketplace_a"])
    })
  )

  it.effect("is unavailable when all are, and names the shortest wait", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(
        search([failing("marketplace_a", down(60)), failing("marketplace_b", down(20))])
      )
      assert.instanceOf(failure, UpstreamUnavailable)
      assert.strictEqual(failure.port, "marketplace")
      assert.strictEqual(failure.retryAfterSeconds, 20)
    })
  )

  it.effect("is unavailable when all are past the deadline", () =>
    Effect.gen(function* () {
      const never = (source: Source) => marketplace(source, () => Effect.never)
      const fiber = yield* Effect.forkChild(
        Effect.flip(search([never("marketplace_a"), never("marketplace_b")]))
      )
      yield* TestClock.adjust(timeoutMillis)
      const failure = yield* Fiber.join(fiber)
      assert.instanceOf(failure, UpstreamUnavailable)
      assert.strictEqual(failure.retryAfterSeconds, undefined)
    })
  )

  it.effect("fails when no marketplace responded and one is broken", () =>
    Effect.gen(function* () {
      for (const marketplaces of [
        [failing("marketplace_a", down(60)), failing("marketplace_b", broken)],
        [failing("marketplace_a", broken)]
      ]) {
        const failure = yield* Effect.flip(search(marketplaces))
        assert.instanceOf(failure, UpstreamFailed)
        assert.instanceOf(failure.cause, AggregateError)
        assert.deepInclude(failure.cause.errors, broken)
      }
    })
  )

  it.effect("finds nothing where there is no marketplace", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* search([]), {
        response: { products: [], totalResults: 0, page: 1, hasMore: false },
        missing: []
      })
    })
  )
})
