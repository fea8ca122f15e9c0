import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Catalogue, type SearchResult } from "../../../src/shop/ports/Catalogue.ts"
import { UpstreamUnavailable } from "../../../src/shop/ports/PortErrors.ts"
import type { SearchProduct, Source } from "../../../src/shop/goods/Product.ts"
import type { SearchQuery } from "../../../src/shop/goods/SearchRequest.ts"
import { type Marketplace, Marketplaces } from "../../../src/shop/ports/Marketplaces.ts"
import { sampleProduct } from "../../../../testing/src/index.ts"

/*
 * Turning the pages of merged marketplaces that don't change: every product once, none skipped, each
 * marketplace's in its own order, whatever the sizes of their pages.
 */

const sources: ReadonlyArray<Source> = ["marketplace_a", "marketplace_b"]
const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** A marketplace's shelf: prices in rank order (`null`: not known), and how many stand on a page. */
const Shelf = Schema.Struct({
  prices: Schema.Array(Schema.NullOr(between(1, 40))).check(Schema.isMaxLength(30)),
  pageSize: between(1, 7)
})
type Shelf = typeof Shelf.Type

const productsOf = ({ prices }: Shelf, source: Source): ReadonlyArray<SearchProduct> =>
  prices.map((price, rank) => sampleProduct({ asin: `P${rank}`, title: `tote ${rank}`, price, source }))

const marketplaceOf = (shelf: Shelf, source: Source, isDownOn: (page: number) => boolean): Marketplace => {
  const products = productsOf(shelf, source)
  return {
    source,
    search: ({ page }) =>
      isDownOn(page)
        ? Effect.fail(new UpstreamUnavailable({ port: "marketplace" }))
        : Effect.succeed({
            products: products.slice((page - 1) * shelf.pageSize, page * shelf.pageSize),
            totalResults: products.length,
            hasMore: products.length > page * shelf.pageSize
          })
  }
}

const withCatalogue = <A, E>(
  shelves: ReadonlyArray<Shelf>,
  use: (search: (query: SearchQuery) => Effect.Effect<SearchResult, unknown>) => Effect.Effect<A, E>,
  isDown: (source: Source, page: number) => boolean = () => false
) =>
  Effect.flatMap(Catalogue, ({ search }) => use(search)).pipe(
    Effect.provide(
      Catalogue.layer.pipe(
        Layer.provide(
          Layer.succeed(
            Marketplaces,
            shelves.map((shelf, index) =>
              marketplaceOf(shelf, sources[index]!, (page) => isDown(sources[index]!, page))
            )
          )
        )
      )
    )
  )

/** Turns pages until there is no more. */
const allPages = (
  search: (query: SearchQuery) => Effect.Effect<SearchResult, unknown>,
  query: Omit<SearchQuery, "page"> = { q: "tote" }
) =>
  Effect.gen(function* () {
    const pages: Array<SearchResult> = []
    for (let page = 1; page <= 31; page++) {
      const findings = yield* search({ ...query, page })
      pages.push(findings)
      if (!findings.response.hasMore) return pages
    }
    return assert.fail("the pages never end")
  })

const of = (products: ReadonlyArray<SearchProduct>, source: Source) =>
  products.filter((product) => product.source === source)
const keyOf = ({ asin, source }: SearchProduct) => `${source} ${asin}`

describe("the pages of a catalogue", () => {
  it.effect.prop(
    "hold every product once, in its marketplace's order, and end",
    [Schema.Array(Shelf).check(Schema.isMinLength(1), Schema.isMaxLength(2))],
    ([shelves]) =>
      withCatalogue(shelves, (search) =>
        Effect.gen(function* () {
          const pages = yield* allPages(search)
          const seen = pages.flatMap(({ response }) => response.products)
          shelves.forEach((shelf, index) => {
            const source = sources[index]!
            assert.deepStrictEqual(of(seen, source), productsOf(shelf, source))
          })
          assert.strictEqual(new Set(seen.map(keyOf)).size, seen.length)
          const total = shelves.reduce((sum, { prices }) => sum + prices.length, 0)
          assert.isTrue(pages.every(({ response }) => response.totalResults === total))
          assert.deepStrictEqual(
            pages.map(({ response }) => response.page),
            pages.map((_, index) => index + 1)
          )
        })
      )
  )

  it.effect.prop(
    "take the marketplaces in turns: who has a product left at a rank stands there, in their order",
    [Shelf, Shelf, between(1, 6)],
    ([a, b, page]) =>
      withCatalogue([a, b], (search) =>
        Effect.gen(function* () {
          const { products } = (yield* search({ q: "tote", page })).response
          const shelves = [of(products, "marketplace_a"), of(products, "marketplace_b")]
          const expected: Array<SearchProduct> = []
          for (let rank = 0; rank < products.length; rank++) {
            for (const shelf of shelves) expected.push(...shelf.slice(rank, rank + 1))
          }
          assert.deepStrictEqual(products, expected)
          // A repeated search returns the same page.
          assert.deepStrictEqual((yield* search({ q: "tote", page })).response.products, products)
        })
      )
  )

  it.effect.prop(
    "with a price filter hold exactly the products within it, on the pages where they stand without it",
    [Shelf, Shelf, between(1, 40), between(0, 20)],
    ([a, b, priceMin, width]) =>
      withCatalogue([a, b], (search) =>
        Effect.gen(function* () {
          const query = { q: "tote", priceMin, priceMax: priceMin + width }
          const filtered = yield* allPages(search, query)
          const plain = yield* allPages(search)
          assert.strictEqual(filtered.length, plain.length)
          filtered.forEach(({ response }, index) => {
            const kept = plain[index]!.response.products.filter(
              ({ price }) => price !== null && price >= priceMin && price <= priceMin + width
            )
            // Turns are taken among those that are left, so compare each marketplace by itself.
            for (const source of sources) {
              assert.deepStrictEqual(of(response.products, source), of(kept, source))
            }
          })
        })
      )
  )

  it.effect.prop(
    "of one marketplace don't move when the other is missing now and then, and name the missing one",
    [Shelf, Shelf, Schema.Array(between(1, 6))],
    ([a, b, downOn]) =>
      withCatalogue(
        [a, b],
        (search) =>
          Effect.gen(function* () {
            for (let page = 1; page <= 6; page++) {
              const { missing, response } = yield* search({ q: "tote", page })
              const isDown = downOn.includes(page)
              assert.deepStrictEqual(missing, isDown ? ["marketplace_b"] : [])
              const slice = (shelf: Shelf, source: Source) =>
                productsOf(shelf, source).slice((page - 1) * shelf.pageSize, page * shelf.pageSize)
              assert.deepStrictEqual(of(response.products, "marketplace_a"), slice(a, "marketplace_a"))
              assert.deepStrictEqual(
                of(response.products, "marketplace_b"),
                isDown ? [] : slice(b, "marketplace_b")
              )
              const hasMore = (shelf: Shelf) => shelf.prices.length > page * shelf.pageSize
              assert.strictEqual(response.hasMore, hasMore(a) || (!isDown && hasMore(b)))
            }
          }),
        (source, page) => source === "marketplace_b" && downOn.includes(page)
      )
  )
})
