import { inspect } from "node:util"
import type { ProductQuery } from "@till402/core"
import { it as effectIt } from "@effect/vitest"
import { SearchProduct } from "@till402/core/effect"
import { Effect, Schema } from "effect"
import { http, HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { shareOfRuns } from "../../../core/test/domain/seeded.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { documentedProducts, type Paging, providers, type Sample } from "./providers.ts"

/*
 * One suite for both providers: they return the same.
 */

const server = interceptRequests()

const apiKey = "s3cret-key-0123456789"
const context = () => ({ signal: new AbortController().signal })
const onePage: Paging = { page: 1, totalPages: 1 }
const price = (value: number, currency = "USD") => ({ value, currency })
const asins = (products: ReadonlyArray<{ readonly asin: string }>) => products.map(({ asin }) => asin)

const shoe: Sample = {
  asin: "B0TEST0001",
  title: "Acme Trail Running Shoes",
  brand: "Acme",
  price: price(84.99),
  rating: 4.5,
  reviewCount: 1287,
  imageUrl: "https://m.media-amazon.com/images/I/test1.jpg",
  isPrime: true
}
const bare: Sample = { asin: "B0TEST0002", title: "Zephyr Road Shoes" }

describe("a misspelt search of SerpApi", () => {
  const serpApi = providers.find(({ name }) => name === "serpapi")!
  const open = (organic: (term: string) => ReadonlyArray<unknown>) => {
    const terms: Array<string> = []
    server.use(
      http.get(serpApi.endpoint, ({ request }) => {
        const term = new URL(request.url).searchParams.get("k") ?? ""
        terms.push(term)
        return HttpResponse.json({
          search_metadata: { status: "Success" },
          search_information: { spelling_fix: "shoes", query_displayed: term },
          organic_results: organic(term)
        })
      })
    )
    const options = serpApi.provide({ apiKey, retries: 0 })
    return { terms, options, search: () => options.search({ q: "sheos", page: 1 }, context()) }
  }

  it("that finds nothing is searched as the shop corrects it, once", async () => {
    const { options, search, terms } = open((term) => (term === "shoes" ? [serpApi.write(shoe)] : []))
    assert.deepStrictEqual(asins((await search()).products), [shoe.asin])
    assert.deepStrictEqual(terms, ["sheos", "shoes"])
    assert.strictEqual(options.usage().quotaSpent, 2)
    const empty = open(() => [])
    assert.deepStrictEqual((await empty.search()).products, [])
    assert.deepStrictEqual(empty.terms, ["sheos", "shoes"])
  })

  it("that finds something is left as it was sent", async () => {
    const { search, terms } = open(() => [serpApi.write(shoe)])
    await search()
    assert.deepStrictEqual(terms, ["sheos"])
  })
})

describe.each(providers)("$name", (provider) => {
  const { document, endpoint, provide, write } = provider

  const respondWith = (results: ReadonlyArray<unknown>, paging: Paging = onePage) =>
    server.use(http.get(endpoint, () => HttpResponse.json(document(results, paging))))

  const search = (query: Partial<ProductQuery> = {}, settings: Partial<Parameters<typeof provide>[0]> = {}) =>
    provide({ apiKey, retries: 0, ...settings }).search({ q: "shoes", page: 1, ...query }, context())

  const found = async (samples: ReadonlyArray<Sample>, query: Partial<ProductQuery> = {}) => {
    respondWith(samples.map(write))
    return asins((await search(query)).products)
  }

  it("returns products in the contract's shape, unknown fields as null", async () => {
    respondWith([write(shoe), write(bare)], { page: 1, totalPages: 7 })
    assert.deepStrictEqual(await search(), {
      products: documentedProducts,
      totalResults: 140,
      hasMore: true
    })
  })

  it("says of a product that nobody sells now that it isn't available", async () => {
    const stock = (text: string) =>
      provider.name === "rainforest" ? { availability: { raw: text } } : { stock: text }
    respondWith([
      { ...write(shoe), ...stock("Currently unavailable.") },
      { ...write(bare), ...stock("Only 3 left in stock - order soon.") }
    ])
    const { products } = await search()
    const known = products.map((product) => Reflect.get(product, "isAvailable") as unknown)
    // Canopy reports no stock.
    assert.deepStrictEqual(known, [provider.name === "canopy" ? undefined : false, undefined])
  })

  it("fills a page that filters left empty from the next page, and repeats no product", async () => {
    const pagesRead: Array<string | null> = []
    server.use(
      http.get(endpoint, ({ request }) => {
        const page = Number(new URL(request.url).searchParams.get("page"))
        pagesRead.push(new URL(request.url).searchParams.get("page"))
        const samples =
          page === 2 ? [{ ...bare, price: price(500) }] : [{ ...shoe, asin: `B0TEST000${page}` }]
        return HttpResponse.json(document(samples.map(write), { page, totalPages: 4 }))
      })
    )
    const pages = []
    const shop = provide({ apiKey, retries: 0 })
    const pageOf = (page: number) => shop.search({ q: "shoes", page, priceMax: 100 }, context())
    for (const page of [1, 2, 3]) pages.push(await pageOf(page))
    assert.deepStrictEqual(pagesRead, ["1", "2", "3", "4"])
    assert.deepStrictEqual(
      pages.map(({ products }) => asins(products)),
      [["B0TEST0001"], ["B0TEST0003"], ["B0TEST0004"]]
    )
    assert.deepStrictEqual(
      pages.map(({ hasMore }) => hasMore),
      [true, true, false]
    )
  })

  it("takes up to three pages for one, and keeps hasMore", async () => {
    const pagesRead: Array<string | null> = []
    server.use(
      http.get(endpoint, ({ request }) => {
        const page = new URL(request.url).searchParams.get("page")
        pagesRead.push(page)
        return HttpResponse.json(
          document([write({ ...bare, price: price(500) })], { page: Number(page), totalPages: 9 })
        )
      })
    )
    assert.deepInclude(await search({ priceMax: 100 }), { products: [], hasMore: true })
    assert.deepStrictEqual(pagesRead, ["1", "2", "3"])
  })

  it("returns an emptied page if the next one fails", async () => {
    server.use(
      http.get(endpoint, ({ request }) => {
        const page = Number(new URL(request.url).searchParams.get("page"))
        return page === 1
          ? HttpResponse.json(document([write({ ...bare, price: price(500) })], { page, totalPages: 9 }))
          : HttpResponse.json({}, { status: 503 })
      })
    )
    assert.deepInclude(await search({ priceMax: 100 }), { products: [], hasMore: true })
  })

  it("has no further page after an empty one, and requests none far beyond the last", async () => {
    respondWith([], { page: 9, totalPages: 20 })
    assert.deepInclude(await search({ page: 9 }), { products: [], hasMore: false })
    server.use(http.get(endpoint, () => assert.fail("a page that can't exist was requested")))
    assert.deepStrictEqual(await search({ page: 401 }), { products: [], totalResults: 0, hasMore: false })
  })

  it("drops sponsored duplicates and keeps a product at its own rank", async () => {
    const ad = (sample: Sample) => ({ ...sample, isSponsored: true })
    const third = { ...bare, asin: "B0TEST0003" }
    assert.deepStrictEqual(await found([ad(shoe), bare, shoe, ad(third), ad(third), bare]), [
      "B0TEST0002",
      "B0TEST0001",
      "B0TEST0003"
    ])
  })

  it("filters prices exactly, in dollars", async () => {
    const samples = [
      { ...bare, asin: "CHEAP00000", price: price(9.99) },
      { ...bare, asin: "LOWER00000", price: price(10) },
      { ...bare, asin: "UNKNOWN000" },
      { ...bare, asin: "EURO000000", price: price(15, "EUR") },
      { ...bare, asin: "UPPER00000", price: price(19.99) },
      { ...bare, asin: "DEAR000000", price: price(20) }
    ]
    assert.deepStrictEqual(await found(samples, { priceMin: 10, priceMax: 19.99 }), [
      "LOWER00000",
      "UPPER00000"
    ])
    assert.deepStrictEqual(await found(samples, { priceMin: 19.995 }), ["DEAR000000"])
    assert.deepStrictEqual(await found(samples, { priceMax: 10 }), ["CHEAP00000", "LOWER00000"])
    assert.deepStrictEqual(await found(samples), asins(samples))
  })

  it("filters brands exactly: by the product's brand, else by whole words of its title", async () => {
    const named = (asin: string, title: string, brand?: string): Sample => ({
      asin,
      title,
      ...(brand === undefined ? {} : { brand })
    })
    const samples = [
      named("B000000001", "Trail Shoes", "ACME"),
      named("B000000002", "Case for Acme phones", "Zephyr"),
      named("B000000003", "acme trail shoes"),
      named("B000000004", "Acmella oil"),
      named("B000000005", "L’Oréal Paris Elvive"),
      named("B000000006", "索尼无线耳机"),
      named("B000000007", "Acmella and Zephyr balm"),
      named("B000000008", "Balm", "+++"),
      named("B000000009", "Acmella and acme balm")
    ]
    assert.deepStrictEqual(await found(samples, { brand: "Acme" }), [
      "B000000001",
      "B000000003",
      "B000000009"
    ])
    assert.deepStrictEqual(await found(samples, { brand: "+++" }), ["B000000008"])
    assert.deepStrictEqual(await found(samples, { brand: "l'oreal paris" }), ["B000000005"])
    assert.deepStrictEqual(await found(samples, { brand: "索尼" }), ["B000000006"])
    assert.deepStrictEqual(await found(samples, { brand: "  " }), asins(samples))
  })

  it("searches for the brand too, once", async () => {
    const terms: Array<string | null> = []
    server.use(
      http.get(endpoint, ({ request }) => {
        const { searchParams } = new URL(request.url)
        terms.push(searchParams.get("searchTerm") ?? searchParams.get("search_term") ?? searchParams.get("k"))
        return HttpResponse.json(document([], onePage))
      })
    )
    await search({ q: "shoes", brand: "Acme & Sons" })
    await search({ q: "ACME & sons shoes", brand: "Acme & Sons" })
    await search({ q: "shoes" })
    assert.deepStrictEqual(terms, ["Acme & Sons shoes", "ACME & sons shoes", "shoes"])
  })

  it("names another country's shop, whose prices pass no filter in dollars", async () => {
    const params: Array<URLSearchParams> = []
    server.use(
      http.get(endpoint, ({ request }) => {
        params.push(new URL(request.url).searchParams)
        return HttpResponse.json(document([write({ ...bare, price: price(10, "EUR") })], onePage))
      })
    )
    const german = await search({}, { country: "DE" })
    assert.strictEqual(german.products[0]!.productUrl, "https://www.amazon.de/dp/B0TEST0002")
    assert.strictEqual(german.products[0]!.currency, "EUR")
    assert.deepStrictEqual((await search({ priceMin: 1, priceMax: 99 }, { country: "DE" })).products, [])
    assert.isFalse(params.some((each) => each.has("minPrice") || each.has("maxPrice")))
    assert.isTrue(
      params.every((each) => each.get("domain") === "DE" || each.get("amazon_domain") === "amazon.de")
    )
  })

  it("leaves out what can't be a product, and takes odd fields for unknown", async () => {
    respondWith([
      { ...write(shoe), asin: null },
      { ...write(shoe), title: "  " },
      null,
      "ad",
      {
        ...write(shoe),
        rating: "4.5",
        ratingsTotal: "1287",
        ratings_total: "1287",
        mainImageUrl: "javascript:alert(1)",
        image: "/relative.jpg",
        isPrime: "PRIME_PLUS",
        is_prime: "PRIME_PLUS",
        reviews: "1287",
        thumbnail: "/relative.jpg",
        prime: "PRIME_PLUS",
        extracted_price: "84.99",
        price: { value: "84.99", currency: "usd" },
        newKind: { of: ["field"] }
      },
      {
        ...write(bare),
        price: { value: -1, currency: "DOLLARS" },
        rating: 11,
        ratingsTotal: -3,
        ratings_total: -3,
        extracted_price: -1,
        reviews: -3
      }
    ])
    const { products } = await search()
    assert.deepStrictEqual(
      products.map(({ currency, imageUrl, isExpedited, price, rating, reviewCount }) => [
        price,
        currency,
        rating,
        reviewCount,
        imageUrl,
        isExpedited
      ]),
      [
        [84.99, "USD", 4.5, 1287, null, false],
        [null, "USD", null, null, null, false]
      ]
    )
  })

  // Values of any kind in every field: the search stands, in the contract's shape.
  const isSearchProduct = Schema.is(SearchProduct)
  const fieldNames = Object.keys({ ...write(shoe), newField: 0 })
  effectIt.effect.prop(
    "never breaks on values of any kind",
    [
      Schema.Array(
        Schema.Tuple([Schema.Literals(fieldNames as [string, ...Array<string>]), Schema.Json])
      ).check(Schema.isMaxLength(6))
    ],
    ([odd]) =>
      Effect.promise(async () => {
        respondWith([{ ...write(shoe), ...Object.fromEntries(odd) }, write(bare)])
        const { products } = await search()
        assert.isAtLeast(products.length, 1)
        for (const product of products) {
          assert.isTrue(isSearchProduct(product), inspect(product))
          assert.match(product.productUrl!, /^https:\/\/www\.amazon\.com\/dp\/[A-Z0-9]{10}$/)
        }
      }),
    { arbitrary: { runs: shareOfRuns(100) } }
  )
})
