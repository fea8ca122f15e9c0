import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { catalogue, profileUrl, searchOf } from "./catalogue.ts"
import { server, fixture, respondWith, products, search } from "./respondingCatalogue.ts"

interceptRequests(server)

describe("a call of the catalogue", () => {
  it("is the documented one", async () => {
    const requests = respondWith(products())
    await searchOf(catalogue({ pageSize: 20 }))({ priceMin: 20, priceMax: 150 })
    assert.deepStrictEqual(requests[0]!.call as unknown, fixture("search-catalog.request"))
    const { headers } = requests[0]!
    assert.strictEqual(headers.get("content-type"), "application/json")
    assert.strictEqual(headers.get("accept"), "application/json, text/event-stream")
    assert.isNull(headers.get("authorization"), "the anonymous tier sends no token")
  })

  it("requests 50 products without a price filter by default", async () => {
    const requests = respondWith(products())
    await search()
    const { catalog, meta } = requests[0]!.call.params.arguments
    assert.deepStrictEqual(catalog.pagination, { limit: 50 })
    assert.deepStrictEqual(catalog.filters, { available: true, ships_to: { country: "US" } })
    assert.strictEqual(meta["ucp-agent"].profile, profileUrl)
  })

  it("carries the brand in the query, once", async () => {
    const requests = respondWith(products())
    await search({ brand: "Northwind" })
    await search({ q: "northwind trail shoes", brand: "Northwind" })
    assert.deepStrictEqual(
      requests.map(({ call }) => call.params.arguments.catalog.query),
      ["Northwind trail shoes", "northwind trail shoes"]
    )
  })

  it("names the market and the selection that the host chose", async () => {
    const requests = respondWith(products())
    const shopIds = ["gid://shopify/Shop/55891492909"]
    const options = { country: "CA", currency: "CAD", language: "fr-CA", condition: "new", shopIds } as const
    await searchOf(catalogue(options))({ priceMax: 100 })
    await searchOf(catalogue({ ...options, shipsTo: "US" }))()
    await searchOf(catalogue({ ...options, shipsTo: false }))()
    const sent = requests.map(({ call }) => call.params.arguments.catalog)
    assert.deepStrictEqual(sent[0]!.context, {
      address_country: "CA",
      currency: "CAD",
      language: "fr-CA"
    })
    // Filters are in US dollars: a bound in Canadian ones would be another one.
    const rest = { available: true, condition: ["new"], shop_ids: shopIds }
    assert.deepStrictEqual(sent[0]!.filters, { ...rest, ships_to: { country: "CA" } })
    assert.deepStrictEqual(sent[1]!.filters, { ...rest, ships_to: { country: "US" } })
    assert.deepStrictEqual(sent[2]!.filters, rest)
  })

  it("counts bounds in cents, never tighter than they are", async () => {
    const requests = respondWith(products())
    await search({ priceMin: 19.99, priceMax: 19.991 })
    await search({ priceMin: 0.001, priceMax: 1e20 })
    assert.deepStrictEqual(
      requests.map(({ call }) => call.params.arguments.catalog.filters!["price"]),
      [
        { min: 1999, max: 2000 },
        { min: 0, max: 999_999_999_999_999 }
      ]
    )
  })
})
