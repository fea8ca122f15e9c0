import { readFileSync } from "node:fs"
import type { ProductPage } from "@till402/core"
import { ConfigProvider, Effect, Exit, Layer, Redacted } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import { http, HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { Canopy, canopy } from "../../src/canopy/index.ts"
import { documentedProducts } from "../amazon/providers.ts"
import { interceptRequests } from "../interceptRequests.ts"

/*
 * What is Canopy's own: its request, its document, its pages. See also ../amazon.
 */

const server = interceptRequests()

const endpoint = "https://rest.canopyapi.co/api/amazon/search"
const fixture = JSON.parse(
  readFileSync(new URL("../fixtures/canopy-search.json", import.meta.url), "utf8")
) as { readonly data: unknown }
const context = { signal: new AbortController().signal }
const search = (query: object = {}) =>
  canopy({ apiKey: "key-1", retries: 0 }).search({ q: "trail shoes", page: 1, ...query }, context)

const pageOf = (pageInfo: unknown, results = 2) => ({
  amazonProductSearchResults: {
    productResults: {
      results: Array.from({ length: results }, (_, index) => ({ asin: `B00000000${index}`, title: "Shoe" })),
      ...(pageInfo === undefined ? {} : { pageInfo })
    }
  }
})
const respondWith = (document: unknown) =>
  server.use(http.get(endpoint, () => HttpResponse.json(document as object)))

describe("canopy", () => {
  it("reads the documented response, with the outer data and without it", async () => {
    const expected: ProductPage = { products: documentedProducts, totalResults: 140, hasMore: true }
    for (const document of [fixture, fixture.data]) {
      respondWith(document)
      assert.deepStrictEqual(await search(), expected)
    }
  })

  it("sends the key in a header, bounds in whole dollars around the filter, and no content", async () => {
    let received: Request | undefined
    server.use(
      http.get(endpoint, ({ request }) => {
        received = request
        return HttpResponse.json(fixture)
      })
    )
    await search({ page: 3, priceMin: 10.5, priceMax: 99.01 })
    assert.deepStrictEqual(Object.fromEntries(new URL(received!.url).searchParams), {
      searchTerm: "trail shoes",
      domain: "US",
      page: "3",
      limit: "20",
      minPrice: "10",
      maxPrice: "100"
    })
    assert.strictEqual(received!.headers.get("api-key"), "key-1")
    assert.isFalse(received!.headers.has("content-type"))
    await search({ priceMin: 0.5 })
    assert.isFalse(new URL(received!.url).searchParams.has("minPrice"))
  })

  it.each([
    ["the count of results", { totalResults: 133, totalPages: 7, hasNextPage: true }, 1, 133, true],
    ["the count of pages while there are more", { totalPages: 7, hasNextPage: true }, 1, 140, true],
    ["what was seen on the last page", { totalPages: 7, hasNextPage: false }, 7, 122, false],
    ["at least one more than seen without a count", { hasNextPage: true }, 2, 23, true],
    ["the count of pages without hasNextPage", { totalPages: 3 }, 2, 60, true],
    ["no more on the last of the counted pages", { totalPages: 2 }, 2, 22, false],
    ["no more without paging", undefined, 1, 2, false],
    ["no more with malformed paging", { totalPages: "many", hasNextPage: "perhaps" }, 1, 2, false]
  ])("reads %s", async (_what, pageInfo, page, totalResults, hasMore) => {
    respondWith(pageOf(pageInfo))
    const response = await search({ page })
    assert.deepStrictEqual([response.totalResults, response.hasMore], [totalResults, hasMore])
  })

  it.each([
    ["productResults", { amazonProductSearchResults: {} }],
    ["productResults that is null", { amazonProductSearchResults: { productResults: null } }],
    ["results", { amazonProductSearchResults: { productResults: { pageInfo: { totalResults: 0 } } } }],
    ["results that are null", { amazonProductSearchResults: { productResults: { results: null } } }]
  ])("returns an empty page without %s", async (_what, document) => {
    for (const whole of [document, { data: document }]) {
      respondWith(whole)
      assert.deepStrictEqual(await search(), { products: [], totalResults: 0, hasMore: false })
    }
  })

  it("searches the Polish shop", async () => {
    respondWith(pageOf(undefined, 1))
    const { products } = await canopy({ apiKey: "key-1", country: "PL" }).search(
      { q: "buty", page: 1 },
      context
    )
    assert.deepInclude(products[0], {
      currency: "PLN",
      productUrl: "https://www.amazon.pl/dp/B000000000"
    })
  })

  it("returns 0 if nothing is found", async () => {
    respondWith(pageOf({ totalPages: 0, hasNextPage: false }, 0))
    assert.deepStrictEqual(await search(), { products: [], totalResults: 0, hasMore: false })
  })
})

describe("the layers", () => {
  const find = Effect.flatMap(Canopy, (amazon) => amazon.search({ q: "trail shoes", page: 1 }))
  const run = <E>(provided: Layer.Layer<Canopy, E>, env: Record<string, string> = {}) =>
    Effect.runPromiseExit(
      find.pipe(
        Effect.provide(provided),
        // Effect remembers the first `fetch` it sees, which may be one of before msw listened here.
        Effect.provideService(FetchHttpClient.Fetch, (input, init) => fetch(input, init)),
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
      )
    )
  const overFetch = <E>(unprovided: Layer.Layer<Canopy, E, HttpClient.HttpClient>) =>
    Layer.provide(unprovided, FetchHttpClient.layer)

  it("make the port of an Effect host, by options or by the environment", async () => {
    const keys: Array<string | null> = []
    server.use(
      http.get("https://proxy.example/api/amazon/search", ({ request }) => {
        keys.push(request.headers.get("api-key"))
        return HttpResponse.json(fixture)
      })
    )
    const byOptions = Canopy.layer({ apiKey: Redacted.make("key-2"), baseUrl: "https://proxy.example/" })
    const exits = [
      await run(overFetch(byOptions)),
      await run(overFetch(Canopy.layerConfig()), {
        CANOPY_API_KEY: "key-3",
        CANOPY_BASE_URL: "https://proxy.example",
        CANOPY_TIMEOUT_MILLIS: "5000"
      })
    ]
    for (const exit of exits) {
      assert(Exit.isSuccess(exit))
      assert.strictEqual(exit.value.products.length, 2)
    }
    assert.deepStrictEqual(keys, ["key-2", "key-3"])
  })

  it("fail with the port's errors", async () => {
    server.use(http.get(endpoint, () => HttpResponse.json({}, { status: 401 })))
    const exit = await run(overFetch(Canopy.layer({ apiKey: Redacted.make("key-4"), retries: 0 })))
    assert(Exit.isFailure(exit))
    assert.include(String(exit.cause), "UpstreamFailed")
  })

  it.each([
    [{}, "CANOPY_API_KEY"],
    [{ CANOPY_API_KEY: "k", CANOPY_COUNTRY: "ZZ" }, "CANOPY_COUNTRY"],
    [{ CANOPY_API_KEY: "k", CANOPY_TIMEOUT_MILLIS: "0" }, "CANOPY_TIMEOUT_MILLIS"],
    [{ CANOPY_API_KEY: "k", CANOPY_RETRIES: "many" }, "CANOPY_RETRIES"],
    [{ CANOPY_API_KEY: "k", CANOPY_BASE_URL: "http://proxy.example" }, "baseUrl"]
  ])("report errors in the environment: %o", async (env, word) => {
    const exit = await run(overFetch(Canopy.layerConfig()), env)
    assert(Exit.isFailure(exit))
    assert.include(String(exit.cause), word)
  })
})
