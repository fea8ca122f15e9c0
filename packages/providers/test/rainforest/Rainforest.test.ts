import { readFileSync } from "node:fs"
import { http, HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { rainforest } from "../../src/rainforest/index.ts"
import { documentedProducts } from "../amazon/providers.ts"
import { interceptRequests } from "../interceptRequests.ts"

/*
 * What is Rainforest's own: its request, its document, its credits. See also ../amazon.
 */

const server = interceptRequests()

const endpoint = "https://api.rainforestapi.com/request"
const fixture = JSON.parse(
  readFileSync(new URL("../fixtures/rainforest-search.json", import.meta.url), "utf8")
) as { readonly search_results: ReadonlyArray<object> }
const context = { signal: new AbortController().signal }
const search = (query: object = {}) =>
  rainforest({ apiKey: "key-1", retries: 0 }).search({ q: "trail shoes", page: 1, ...query }, context)
const respondWith = (document: object) => server.use(http.get(endpoint, () => HttpResponse.json(document)))

describe("rainforest", () => {
  it("reads the documented response", async () => {
    respondWith(fixture)
    assert.deepStrictEqual(await search(), {
      products: documentedProducts,
      totalResults: 312,
      hasMore: true
    })
  })

  it("sends the documented parameters, without filters", async () => {
    let received: Request | undefined
    server.use(
      http.get(endpoint, ({ request }) => {
        received = request
        return HttpResponse.json(fixture)
      })
    )
    await search({ page: 3, priceMin: 10.5, priceMax: 99.01, brand: "Acme" })
    assert.deepStrictEqual(Object.fromEntries(new URL(received!.url).searchParams), {
      api_key: "key-1",
      type: "search",
      amazon_domain: "amazon.com",
      search_term: "Acme trail shoes",
      page: "3"
    })
  })

  it("uses the first of several prices if there is no single one", async () => {
    const [first] = fixture.search_results
    const { price: _price, ...unpriced } = first as { readonly price: unknown }
    respondWith({ ...fixture, search_results: [unpriced] })
    assert.strictEqual((await search()).products[0]!.price, 84.99)
  })

  it.each([
    ["a count of results and pages", { total_results: 312, total_pages: 7, current_page: 1 }, 312, true],
    ["the last page", { total_results: 2, total_pages: 1, current_page: 1 }, 2, false],
    ["a count below what is seen", { total_results: 1, total_pages: 1 }, 2, false],
    ["a count of pages only", { total_pages: 7 }, 14, true],
    ["a next page only", { next_page: 2 }, 2, true],
    ["nothing", undefined, 2, false],
    ["odd things", { total_results: "about 300", total_pages: [], next_page: "two" }, 2, false]
  ])("reads the pages from %s", async (_what, pagination, totalResults, hasMore) => {
    respondWith({ ...fixture, pagination })
    const response = await search()
    assert.deepStrictEqual([response.totalResults, response.hasMore], [totalResults, hasMore])
  })

  it("returns an empty page if the results are missing or null", async () => {
    for (const search_results of [undefined, null, []]) {
      respondWith({ request_info: { success: true }, search_results })
      assert.deepStrictEqual(await search(), { products: [], totalResults: 0, hasMore: false })
    }
  })

  it("has room for a slow response and a retried 500, and the till waits as long", async () => {
    const { timeoutMillis } = rainforest({ apiKey: "key-1" })
    // The slowest stored response, after a 500 that took as long as most.
    assert.isAtLeast(timeoutMillis ?? 0, 9_880 + 4_850 + 300)
    assert.isBelow(timeoutMillis ?? 0, 18_000)
    let requests = 0
    server.use(
      http.get(endpoint, () => {
        requests += 1
        return requests === 1 ? HttpResponse.json({}, { status: 500 }) : HttpResponse.json(fixture)
      })
    )
    const { products } = await rainforest({ apiKey: "key-1" }).search({ q: "shoes", page: 1 }, context)
    assert.strictEqual(products.length, 2)
    assert.strictEqual(requests, 2)
  })

  it("throws for a response that reports a failure", async () => {
    respondWith({ request_info: { success: false, message: "no luck" } })
    const error: unknown = await search().then(
      () => assert.fail("the search should have failed"),
      (thrown: unknown) => thrown
    )
    assert.include(String(error), "request_info.success is false")
  })

  it("counts credits: spent by this request, and left", async () => {
    const marketplace = rainforest({ apiKey: "key-1" })
    respondWith({
      ...fixture,
      request_info: { success: true, credits_used: 40, credits_used_this_request: 2, credits_remaining: 60 }
    })
    await marketplace.search({ q: "shoes", page: 1 }, context)
    respondWith(fixture)
    await marketplace.search({ q: "shoes", page: 1 }, context)
    const { quotaRemaining, quotaSpent } = marketplace.usage()
    assert.deepStrictEqual({ quotaRemaining, quotaSpent }, { quotaRemaining: 99, quotaSpent: 3 })
  })
})
