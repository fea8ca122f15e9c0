import { serpApi } from "@till402/providers/serpapi"
import { http, HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"

/*
 * What is SerpApi's own: its request and its document. See also ../amazon.
 */

const server = interceptRequests()

const context = { signal: new AbortController().signal }
const search = (query: object = {}) =>
  serpApi({ apiKey: "key-1", retries: 0 }).search({ q: "trail shoes", page: 1, ...query }, context)
const respondWith = (document: object) =>
  server.use(http.get("https://serpapi.com/search.json", () => HttpResponse.json(document)))

const success = { search_metadata: { status: "Success" } }
const shoe = { asin: "B0TEST0001", title: "Acme Trail Running Shoes", extracted_price: 84.99 }

describe("serpApi", () => {
  it("sends the documented parameters, without filters", async () => {
    let received: Request | undefined
    server.use(
      http.get("https://serpapi.com/search.json", ({ request }) => {
        received = request
        return HttpResponse.json({ ...success, organic_results: [shoe] })
      })
    )
    await search({ page: 3, priceMin: 10.5, priceMax: 99.01, brand: "Acme" })
    assert.deepStrictEqual(Object.fromEntries(new URL(received!.url).searchParams), {
      engine: "amazon",
      amazon_domain: "amazon.com",
      k: "Acme trail shoes",
      page: "3",
      api_key: "key-1"
    })
  })

  it.each<[string, object, number, boolean]>([
    [
      "a count and a next page",
      { search_information: { total_results: 312 }, serpapi_pagination: { next: "https://serpapi.com/…" } },
      312,
      true
    ],
    ["a next page only", { serpapi_pagination: { current: 1, next: "https://serpapi.com/…" } }, 2, true],
    ["the last page", { serpapi_pagination: { current: 1 } }, 1, false],
    [
      "odd things",
      { search_information: { total_results: "many" }, serpapi_pagination: { next: 2 } },
      1,
      false
    ]
  ])("reads the pages from %s", async (_what, fields, totalResults, hasMore) => {
    respondWith({ ...success, ...fields, organic_results: [shoe] })
    assert.deepInclude(await search(), { totalResults, hasMore })
  })

  it("returns an empty page for the documented message that nothing was found", async () => {
    respondWith({ ...success, error: "Amazon hasn't returned any results for this query." })
    assert.deepStrictEqual(await search(), { products: [], totalResults: 0, hasMore: false })
  })

  it.each<[string, object]>([
    ["reports an error", { search_metadata: { status: "Error" }, error: "We couldn't get valid results." }],
    ["is of another kind", { results: [] }],
    ["has unusable results only", { ...success, organic_results: [{ asin: 1 }] }]
  ])("fails for a response that %s", async (_what, document) => {
    respondWith(document)
    assert.strictEqual((await rejectionOf(search()))._tag, "ResponseMalformed")
  })
})
